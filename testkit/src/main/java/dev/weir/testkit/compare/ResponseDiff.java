package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares a candidate's response to one request with one or several that a reference gave to it.
 * {@link ChanceCheck} says what several allow.
 */
final class ResponseDiff {
  private static final int MAX_DIFFERENCES = 12;

  private final List<Difference> differences = new ArrayList<>();

  private ResponseDiff() {}

  /**
   * Returns what of a response none of the references has, or nothing.
   *
   * @param references at least one
   */
  static List<Difference> of(List<ComparableResponse> references, ComparableResponse candidate) {
    ResponseDiff diff = new ResponseDiff();
    List<ComparableResponse> sameOutcome =
        references.stream().filter(each -> each.outcome().equals(candidate.outcome())).toList();
    if (sameOutcome.isEmpty()) {
      String expected = references.getFirst().outcome();
      diff.differences.add(new Difference("status", expected, candidate.outcome()));
    }
    diff.compare(sameOutcome.isEmpty() ? references : sameOutcome, candidate);
    return List.copyOf(diff.differences);
  }

  private void compare(List<ComparableResponse> references, ComparableResponse candidate) {
    compareHeaders(references, candidate);
    compareBodies(references.stream().map(ComparableResponse::body).toList(), candidate.body());
  }

  private void compareHeaders(List<ComparableResponse> references, ComparableResponse candidate) {
    Set<String> names = new TreeSet<>(candidate.headers().keySet());
    references.forEach(each -> names.addAll(each.headers().keySet()));
    for (String name : names) {
      List<String> values = candidate.header(name);
      if (references.stream().noneMatch(each -> each.header(name).equals(values))) {
        String expected = references.getFirst().header(name).toString();
        differences.add(new Difference("header " + name, expected, values.toString()));
      }
    }
  }

  private void compareBodies(List<ComparableBody> references, ComparableBody candidate) {
    List<BodyTree> trees = references.stream().flatMap(each -> each.tree().stream()).toList();
    if (trees.isEmpty() || candidate.tree().isEmpty()) {
      compareWriting(references, candidate);
      return;
    }
    BodyTree tree = candidate.tree().get();
    differences.addAll(BodyTreeDiff.of(trees, tree, MAX_DIFFERENCES));
    compareWriting(references.stream().filter(each -> each.hasValues(tree)).toList(), candidate);
  }

  /** Adds a difference if the candidate is written like none of several bodies. */
  private void compareWriting(List<ComparableBody> references, ComparableBody candidate) {
    List<Optional<Difference>> found =
        references.stream().map(each -> each.differenceInWriting(candidate)).toList();
    if (!found.isEmpty() && found.stream().allMatch(Optional::isPresent)) {
      differences.add(found.getFirst().orElseThrow());
    }
  }
}
