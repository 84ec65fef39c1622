/*
 * fact_form: a fact of the profile, or what is proposed of one, as its owner
 * writes it: the options of a command, or a text in an editor, which is a
 * header of lines, an empty line, and the value:
 *
 *   # Lines with # up here are not kept.
 *   category: preference
 *   label: Tea
 *   evidence: said so in spring
 *   uncertain: no
 *
 *   green, without sugar
 */
#ifndef GATEWAY_FACT_FORM_H
#define GATEWAY_FACT_FORM_H

#include "escrow/secret.h"
#include "gateway/draft_text.h"
#include "gateway/json_write.h"
#include "mailbox/words.h"

#define FACT_LABEL_MAX    40  /* characters */
#define FACT_VALUE_MAX    300
#define FACT_EVIDENCE_MAX 300

/* What is given of it; a span whose p is NULL is not. */
struct fact_form {
	bool          has_category, has_uncertain;
	enum category category;
	bool          uncertain;
	struct span   label, value, evidence; /* borrowed */
};

/*
 * As a text for an editor. Lines are there for what is given; the value always is.
 *
 * note   for people, goes to the top; lines without #
 * *out   new; the caller frees
 */
enum err fact_form_text(const char *note, const struct fact_form *f, struct secret **out);

/*
 * Takes such a text. What is taken points into it; blanks around it are dropped.
 * ERR_INVALID_CONTENT: reason says why, and names no content.
 */
enum err fact_form_take(struct span text, struct fact_form *out, char reason[DRAFT_REASON_MAX]);

/* False with a reason: something is too long, empty, or not of one line. */
bool fact_form_good(const struct fact_form *f, char reason[DRAFT_REASON_MAX]);

/* Members of an open object: what is given, as gateway/profile_request.h has it. */
void fact_form_put(struct json_writer *w, const struct fact_form *f);

/* A category by its name; false with a reason that lists them. */
bool fact_form_category(struct span name, enum category *out, char reason[DRAFT_REASON_MAX]);

#endif
