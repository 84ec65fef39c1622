/* rig_dir: a test's own directory that is its working directory too, as a daemon's home is. */
#ifndef TESTS_SUPPORT_RIG_DIR_H
#define TESTS_SUPPORT_RIG_DIR_H

/* Makes one of mode 0700 under $TMPDIR or /tmp and goes there. Ends the test program if it cannot. */
void rig_dir_make(void);

/* Its absolute path. */
const char *rig_dir_path(void);

/* Goes to / and removes it with all that is in it. */
void rig_dir_remove(void);

#endif
