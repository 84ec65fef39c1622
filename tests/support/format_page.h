/* format_page: docs/store-format.md as text, for tests that look for their vectors in it. */
#ifndef TESTS_SUPPORT_FORMAT_PAGE_H
#define TESTS_SUPPORT_FORMAT_PAGE_H

/* The whole page, to be freed; the test fails if it cannot be read. */
char *format_page(void);

#endif
