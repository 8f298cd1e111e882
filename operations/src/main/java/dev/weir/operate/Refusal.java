package dev.weir.operate;

import java.util.List;

/**
 * A reason not to begin with some nodes.
 *
 * @param text for people; says what to do
 * @param isTransient whether it may end by itself, such as a recovery
 */
record Refusal(String text, boolean isTransient) {
  static Refusal lasting(String text) {
    return new Refusal(text, false);
  }

  static Refusal ofTransient(String text) {
    return new Refusal(text, true);
  }

  static List<String> texts(List<Refusal> refusals) {
    return refusals.stream().map(Refusal::text).toList();
  }
}
