/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a program that looks for a fault ends: 0 if the kernel does right, 1 if
 * the fault is there, 2 if it cannot tell.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdint.h>

#define __printf(text, first)	__attribute((format(printf, text, first)))
#define __noreturn		__attribute((noreturn))

#define DEVICE_IP	"10.77.0.1"
#define PEER_IP		"10.77.0.2"

/* fault_seen - say what is wrong, and end with 1 */
void fault_seen(const char *format, ...) __printf(1, 2) __noreturn;

/* fault_unknown - say why nothing can be told, with errno's text, and end with 2 */
void fault_unknown(const char *format, ...) __printf(1, 2) __noreturn;

/* fault_not_seen - say what is right, and end with 0 */
void fault_not_seen(const char *format, ...) __printf(1, 2) __noreturn;

/* run - a command of the shell, which must succeed */
void run(const char *command);

/* now_ms - a clock that only goes forward */
uint64_t now_ms(void);

#endif
