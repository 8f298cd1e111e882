package dev.weir.testkit.compare;

import java.util.List;
import java.util.Map;

/**
 * One request of a scenario, with {@code {name}} where a variable goes, and how its answers are
 * compared.
 *
 * @param location the corpus file and line, for messages
 * @param request what is sent
 * @param mode who gets it
 * @param masks what may differ in the bodies
 * @param ignoredHeaders headers that are not compared, in lower case
 * @param captures variables to set from the answer, by name: where in the body
 */
public record ComparisonStep(
    String location,
    RequestTemplate request,
    Mode mode,
    ComparisonMasks masks,
    List<String> ignoredHeaders,
    Map<String, PathPattern> captures) {
  /** Who gets a request. */
  public enum Mode {
    /** Both, and the answers are compared. */
    COMPARED,
    /** Both, each must succeed, and the answers are not compared. */
    SENT_TO_BOTH,
    /** Only the reference, and it must succeed. */
    SENT_ONCE
  }

  /** Copies the collections. */
  public ComparisonStep {
    ignoredHeaders = List.copyOf(ignoredHeaders);
    captures = Map.copyOf(captures);
  }

  @Override
  public String toString() {
    return request.summary() + " (" + location + ")";
  }
}
