/* profile_book_inside: arrays in order, for the files of profile_book and nobody else. */
#ifndef STORE_PROFILE_BOOK_INSIDE_H
#define STORE_PROFILE_BOOK_INSIDE_H

#include "store/profile_book.h"

/* The place of the first of n that is not before the key; compare says how the one at a place stands to it. */
size_t book_place(const struct profile_book *b, size_t n,
    int (*compare)(const struct profile_book *b, size_t at, const void *key), const void *key);

/* Room for one more of that size at place `at` of an array of n. ERR_NO_MEMORY leaves it. */
enum err book_open_place(struct profile_book *b, void **array, size_t *cap, size_t n, size_t size, size_t at);
void     book_close_place(void *array, size_t n, size_t size, size_t at);

/* Copies a text to *end and moves that on. */
struct span book_keep_text(uint8_t **end, struct span s);

#endif
