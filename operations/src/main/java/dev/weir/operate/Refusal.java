package dev.weir.operate;

import java.util.List;

/**
 * A reason not to begin with some nodes.
 *
 * @param text for people; says what to do
 * @param canPass whether it may end by itself, such as a recovery
 */
record Refusal(String text, boolean canPass) {
  static Refusal lasting(String text) {
    return new Refusal(text, false);
  }

  static Refusal passing(String text) {
    return new Refusal(text, true);
  }

  static List<String> texts(List<Refusal> refusals) {
    return refusals.stream().map(Refusal::text).toList();
  }
}
