/* SPDX-License-Identifier: GPL-2.0-only */
/* There are no modules here. */
#ifndef SHIM_LINUX_EXPORT_H
#define SHIM_LINUX_EXPORT_H

#define EXPORT_SYMBOL_GPL(symbol)	extern int no_symbol

#endif /* SHIM_LINUX_EXPORT_H */
