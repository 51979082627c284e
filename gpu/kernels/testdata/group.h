// Runs the groups of a kernel on the host: each work item is a thread, of which one runs at a time.
// They run up to a barrier or the end one after another, and then all go on behind the barrier. The
// order is the same each time. It is neither upwards nor downwards: where a barrier is missing,
// there is a work item that reads what has not been written yet, whichever way the tree is walked.
//
// The program ends with status 3 if the work items of a group do not come to the same barrier.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ENDED (-1) // instead of the line of a barrier

static pthread_mutex_t group_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t group_turns[GROUP];
static u32 group_turn, group_first; // the work item that runs, and the first row of the group
static int group_place;             // where the first work item has come to
static void (*group_kernel)(u32 row);

// group_next lets the next work item run, when one has come to a barrier or the end.
static void group_next(u32 item, int place)
{
	if (item == 0) group_place = place;
	if (place != group_place) {
		fprintf(stderr, "work item %u is at line %d, not %d\n", item, place, group_place);
		exit(3);
	}
	group_turn = (item + 45) % GROUP; // 45 is odd: that is all of them
	pthread_cond_signal(&group_turns[group_turn]);
}

static void group_wait(u32 item)
{
	while (group_turn != item) pthread_cond_wait(&group_turns[item], &group_lock);
}

// barrier is what BARRIER calls. The lock is held by the work item that runs.
void barrier(int line)
{
	u32 item = group_turn;
	group_next(item, line);
	group_wait(item);
}

static void *group_item(void *number)
{
	u32 item = *(u32 *)number;
	pthread_mutex_lock(&group_lock);
	group_wait(item);
	group_kernel(group_first + item);
	group_next(item, ENDED);
	pthread_mutex_unlock(&group_lock);
	return NULL;
}

// run_groups runs a kernel on the rows of as many groups as have n rows, or a part of them.
static void run_groups(void (*kernel)(u32 row), u32 n)
{
	pthread_t threads[GROUP];
	u32 numbers[GROUP];
	group_kernel = kernel;
	for (u32 i = 0; i < GROUP; i++) pthread_cond_init(&group_turns[i], NULL);
	for (group_first = 0; group_first < n; group_first += GROUP) {
		group_turn = 0;
		for (u32 i = 0; i < GROUP; i++) {
			numbers[i] = i;
			if (pthread_create(&threads[i], NULL, group_item, &numbers[i])) exit(2);
		}
		for (u32 i = 0; i < GROUP; i++) pthread_join(threads[i], NULL);
	}
}
