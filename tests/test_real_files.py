"""What was seen on real files, and the test that holds it: each line names a file of its kind.

The times are in ``benchmarks/speed/messy.py``, whose files are generated; no test measures time.
"""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
SEEN = {
    "a column makes a report slow: names and dates are set apart or cost little": (
        "data/test_messy_files.py::test_what_is_set_apart",
        "report/test_samples.py::test_names_with_many_levels_leave_fewer_rows_for_the_model",
    ),
    "limits are kept, cheap sections first, what ended is kept": (
        "cli/test_time_limits.py::test_what_cannot_be_cut_short_ends_the_command",
        "cli/test_time_limits.py::test_measure_within_a_limit_that_is_over",
        "cli/test_time_limits.py::test_select_searches_a_sample_where_the_limit_is_short",
        "report/test_separability.py::test_a_section_that_ended_as_time_ran_out_is_kept",
    ),
    "each learner is bounded, and progress names it and the fold": (
        "cli/test_messy_files.py::test_evaluate_within_a_time_limit",
        "cli/test_messy_files.py::test_progress_names_the_learner_and_the_fold",
    ),
    "text messages": ("cli/test_walk.py::test_select_leaves_texts_out_and_says_so",),
    "marks of missing cells, --na, nearly numeric columns": (
        "data/test_messy_files.py::test_marks_of_missing_numbers",
        "data/test_messy_files.py::test_further_marks_by_na",
        "data/test_messy_files.py::test_a_nearly_numeric_column_names_its_odd_cells",
    ),
    "numbers and dates as people write them": (
        "data/test_messy_files.py::test_numbers_as_people_write_them",
        "data/test_messy_files.py::test_dates_become_numbers_and_say_so",
        "data/test_messy_files.py::test_dates_are_the_same_from_csv_and_from_pandas",
        "data/test_messy_files.py::test_excel_serials_are_dates_where_that_is_said",
        "data/test_messy_files.py::test_brackets_of_accountants_are_a_minus",
        "data/test_messy_files.py::test_numbers_that_begin_with_a_zero_may_be_codes",
    ),
    "encodings, sep=;, workbooks, standard input, JSON lines, feather, titles": (
        "data/test_messy_files.py::test_encodings_are_found",
        "data/test_messy_files.py::test_an_encoding_can_be_given",
        "data/test_messy_files.py::test_excels_line_about_the_separator",
        "data/test_messy_files.py::test_a_workbook_is_read_like_a_file",
        "cli/test_messy_files.py::test_standard_input",
        "data/test_messy_files.py::test_json_lines",
        "data/test_messy_files.py::test_feather",
        "data/test_messy_files.py::test_lines_above_the_header_are_left_out_and_said",
    ),
    "duplicate names, classes that differ by case": (
        "cli/test_walk.py::test_every_verb_on_every_file",
        "data/test_messy_files.py::test_classes_that_differ_by_case_or_blanks",
    ),
    "the task is decided, said and changeable; targets that are missing": (
        "cli/test_messy_files.py::test_whole_numbers_of_many_values_are_one_sentence_and_not_many_classes",
        "cli/test_messy_files.py::test_the_task_can_be_changed",
        "cli/test_messy_files.py::test_rows_without_a_target_can_be_dropped",
    ),
    "columns by name, counters, columns that determine the class, constant ones": (
        "cli/test_messy_files.py::test_columns_are_chosen_by_name",
        "data/test_messy_files.py::test_columns_by_name",
        "data/test_messy_files.py::test_a_counter_in_a_file_sorted_by_class_is_set_apart",
        "data/test_messy_files.py::test_a_column_that_determines_the_class",
        "data/test_messy_files.py::test_many_constant_columns_are_counted",
    ),
    "cautions are the same in every verb, with codes": (
        "cli/test_walk.py::test_every_verb_on_every_file",
        "cli/test_messy_files.py::test_every_verb_carries_the_same_cautions",
    ),
    "one story": (
        "report/test_one_story.py::test_report_and_explanation_say_the_same",
        "report/test_one_story.py::test_the_first_figure_is_that_of_the_model",
        "report/test_one_story.py::test_a_rare_class_counts_alike_first",
        "report/test_verdict.py::test_where_one_class_has_nearly_all_rows_shares_of_all_rows_are_not_told",
    ),
    "200 rows of 5,000 columns": (
        "auto/test_five_thousand_columns.py::test_select_finds_the_two_columns",
        "auto/test_five_thousand_columns.py::test_the_classifier_offers_them_and_tells_no_shape",
        "auto/test_five_thousand_columns.py::test_no_shape_is_told_of_a_model_at_chance",
    ),
    "suspects with values, planes with ticks, plain words, contents, phones": (
        "report/test_one_story.py::test_a_row_beside_its_neighbours",
        "report/test_one_story.py::test_planes_have_ticks_and_names_of_levels",
        "report/test_one_story.py::test_distances_are_said_in_plain_words_first",
        "report/test_contents.py::test_every_section_is_in_the_contents",
        "report/test_html_in_browser.py::test_a_phone_cuts_no_table_and_breaks_no_word",
        "report/test_plain_english.py::test_odd_sentences_do_not_come_back",
        "report/test_one_story.py::test_print_frame_and_html_without_the_extras",
    ),
    "the Weka user's ten minutes": (
        "cli/test_weka_users.py::test_classes_with_fewer_rows_than_folds",
        "cli/test_weka_users.py::test_a_test_file",
        "cli/test_weka_users.py::test_a_split",
        "cli/test_weka_users.py::test_predict_on_a_file_with_the_target_tells_the_score",
        "cli/test_weka_users.py::test_predict_on_training_rows_says_so",
        "cli/test_weka_users.py::test_predictions_carry_identifiers",
        "cli/test_weka_users.py::test_all_columns_carry_cells_as_they_stood",
        "cli/test_weka_users.py::test_wrong_rows_surest_first",
        "cli/test_weka_users.py::test_run_information",
        "cli/test_weka_users.py::test_names_of_weka",
        "cli/test_weka_users.py::test_ibk_without_k_is_one_nearest_neighbour",
        "cli/test_weka_users.py::test_smo_on_levels_is_named_plainly",
        "cli/test_weka_users.py::test_what_we_have_not_names_the_nearest",
        "estimators/test_pipelines_in_files.py::",
    ),
    "the scikit-learn user": (
        "auto/test_weights.py::test_a_classifier_of_weights_is_that_of_copies",
        "auto/test_row_explanation.py::",
        "learners/test_told_at_fit.py::",
        "prototypes/test_selector.py::",
    ),
    "the teacher": (
        "plots/test_teacher.py::test_error_against_k_has_all_four_lines",
        "plots/test_teacher.py::test_a_condensed_set_on_the_plane",
        "plots/test_teacher.py::test_voronoi_cells_of_one_nearest_neighbour",
        "plots/test_teacher.py::test_every_number_of_a_confusion_matrix_can_be_read",
        "plots/test_teacher.py::test_labels_do_not_lie_on_each_other",
        "data/test_bundled.py::",
    ),
}


@pytest.mark.parametrize("what", SEEN)
def test_what_was_seen_has_a_test(what):
    for place in SEEN[what]:
        file, _, name = place.partition("::")
        text = (HERE / file).read_text(encoding="utf-8")
        assert f"def {name}(" in text if name else "def test_" in text, place
