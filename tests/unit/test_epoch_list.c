/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/epoch_list.h"

#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(epoch_list);

static void add(EpochList *list, uint32_t epoch, const char *item)
{
	epoch_list_add(list, epoch, g_strdup(item));
}

Test(epoch_list, an_epoch_that_was_not_announced_is_the_one_before)
{
	g_autoptr(EpochList) list = epoch_list_new(g_free);

	cr_expect_null(epoch_list_find(list, 0));
	add(list, 7, "seven");
	add(list, 2, "two");
	cr_expect_null(epoch_list_find(list, 1));
	cr_expect_str_eq(epoch_list_find(list, 2), "two");
	cr_expect_str_eq(epoch_list_find(list, 6), "two");
	cr_expect_str_eq(epoch_list_find(list, 7), "seven");
	cr_expect_str_eq(epoch_list_find(list, UINT32_MAX), "seven");
	cr_expect_null(epoch_list_get(list, 6));
	cr_expect_str_eq(epoch_list_get(list, 7), "seven");
}

Test(epoch_list, items_are_in_the_order_of_their_epochs)
{
	g_autoptr(EpochList) list = epoch_list_new(g_free);

	add(list, 7, "seven");
	add(list, 2, "two");
	add(list, 4, "four");
	cr_assert_eq(epoch_list_count(list), 3);
	cr_expect_str_eq(epoch_list_item(list, 0), "two");
	cr_expect_str_eq(epoch_list_item(list, 1), "four");
	cr_expect_str_eq(epoch_list_item(list, 2), "seven");
}

Test(epoch_list, the_number_of_epochs_is_bounded)
{
	g_autoptr(EpochList) list = epoch_list_new(g_free);

	for (uint32_t epoch = 0; epoch < 100000 && !epoch_list_is_full(list); epoch++)
		add(list, epoch, "");
	cr_expect_eq(epoch_list_count(list), 4096);
}
