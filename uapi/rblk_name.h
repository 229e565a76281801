/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Names of exports, hosts and targets.
 *
 * A name travels to another machine and appears there on terminals, in shell
 * completion, logs, JSON, metrics and file names.  So it is a plain word that
 * needs no quoting anywhere.  Both sides accept nothing else.
 */
#ifndef RBLK_NAME_H
#define RBLK_NAME_H

#define RBLK_NAME_LEN		64	/* bytes of the field, with a NUL */
#define RBLK_NAME_RULE		"1 to 63 letters, digits and ._:+- and starts with none of .-"

/**
 * rblk_name_char() - may a name contain this character?
 * @c: the character
 *
 * Context: any.
 * Return: 1 if it may, else 0.
 */
static inline int rblk_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == ':' ||
	       c == '+' || c == '-';
}

/**
 * rblk_name_ok() - is this field a name?
 * @name: RBLK_NAME_LEN bytes, zeroes after the name
 *
 * Context: any.
 * Return: 1 if it is, else 0.
 */
static inline int rblk_name_ok(const char *name)
{
	int i, n = 0;

	while (n < RBLK_NAME_LEN && rblk_name_char(name[n]))
		n++;
	for (i = n; i < RBLK_NAME_LEN; i++)
		if (name[i])
			return 0;
	return n && n < RBLK_NAME_LEN && name[0] != '.' && name[0] != '-';
}

/**
 * rblk_name_make() - turn a text, such as a machine's host name, into a name
 * @name: RBLK_NAME_LEN bytes, all of them written
 * @text: ends with a NUL; cut if it is too long.  A character that no name may
 *        contain becomes '-'.  A first character that no name may start with,
 *        or an empty text, becomes '_'
 *
 * Context: any.
 */
static inline void rblk_name_make(char *name, const char *text)
{
	int i;

	for (i = 0; i < RBLK_NAME_LEN; i++)
		name[i] = 0;
	for (i = 0; i < RBLK_NAME_LEN - 1 && text[i]; i++)
		name[i] = rblk_name_char(text[i]) ? text[i] : '-';
	if (!i || name[0] == '.' || name[0] == '-')
		name[0] = '_';
}

#endif /* RBLK_NAME_H */
