package dev.weir.bench.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How many requests have ended, and how.
 *
 * @param kinds in a fixed order
 */
record RequestCounts(List<Count> kinds) {
  /**
   * The requests of one kind.
   *
   * @param ended all of them
   * @param refused those with status 429
   * @param failed those without a complete response, or with another one than a success
   */
  record Count(String kind, long ended, long refused, long failed) {
    private String describe() {
      return kind
          + " "
          + ended
          + (refused > 0 ? " (" + refused + " refused)" : "")
          + (failed > 0 ? " (" + failed + " FAILED)" : "");
    }
  }

  RequestCounts {
    kinds = List.copyOf(kinds);
  }

  /** Returns what was added since an earlier reading. */
  RequestCounts since(RequestCounts earlier) {
    List<Count> added = new ArrayList<>();
    for (int i = 0; i < kinds.size(); i++) {
      Count now = kinds.get(i);
      Count then = earlier.kinds.get(i);
      added.add(
          new Count(
              now.kind,
              now.ended - then.ended,
              now.refused - then.refused,
              now.failed - then.failed));
    }
    return new RequestCounts(added);
  }

  long ended() {
    return kinds.stream().mapToLong(Count::ended).sum();
  }

  long refused() {
    return kinds.stream().mapToLong(Count::refused).sum();
  }

  long failed() {
    return kinds.stream().mapToLong(Count::failed).sum();
  }

  @Override
  public String toString() {
    return "%d requests, %d refused, %d failed: %s"
        .formatted(
            ended(),
            refused(),
            failed(),
            kinds.stream().map(Count::describe).collect(Collectors.joining(", ")));
  }
}
