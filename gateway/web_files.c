#include "gateway/span.h"
#include "gateway/web_files.h"

bool
web_file_find(struct span name, struct span *bytes)
{
	for (size_t i = 0; i < web_files_n; i++)
		if (span_is(name, web_files[i].name)) {
			*bytes = web_files[i].bytes;
			return true;
		}
	return false;
}
