#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/format_page.h"

char *
format_page(void)
{
	FILE *f = fopen(SOURCE_DIR "/docs/store-format.md", "r");
	char *page = NULL;
	size_t size = 0;

	assert_non_null(f);
	assert_true(getdelim(&page, &size, '\0', f) > 0);
	fclose(f);
	return page;
}
