package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds where two parsed bodies differ; the order of keys counts. */
final class BodyTreeDiff {
  private static final String ABSENT = "(absent)";

  private final List<Difference> found = new ArrayList<>();
  private final int limit;

  private BodyTreeDiff(int limit) {
    this.limit = limit;
  }

  /** The first differences in the order of the reference. */
  static List<Difference> of(BodyTree reference, BodyTree candidate, int limit) {
    BodyTreeDiff diff = new BodyTreeDiff(limit);
    diff.compare("", reference, candidate);
    return List.copyOf(diff.found);
  }

  private void compare(String path, BodyTree reference, BodyTree candidate) {
    if (reference instanceof BodyTree.ObjectNode left
        && candidate instanceof BodyTree.ObjectNode right) {
      compareMembers(path, left, right);
    } else if (reference instanceof BodyTree.ArrayNode left
        && candidate instanceof BodyTree.ArrayNode right) {
      compareItems(path, left, right);
    } else if (!reference.toString().equals(candidate.toString())) {
      add(path, reference.toString(), candidate.toString());
    }
  }

  private void compareMembers(String path, BodyTree.ObjectNode left, BodyTree.ObjectNode right) {
    Set<String> seen = new HashSet<>();
    for (BodyTree.Member member : left.members()) {
      if (seen.add(member.key())) {
        Optional<BodyTree> other = value(right, member.key());
        if (other.isPresent()) {
          compare(child(path, member.key()), member.value(), other.get());
        } else {
          add(child(path, member.key()), member.value().toString(), ABSENT);
        }
      }
    }
    for (BodyTree.Member member : right.members()) {
      if (seen.add(member.key())) {
        add(child(path, member.key()), ABSENT, member.value().toString());
      }
    }
    if (sameKeysInAnotherOrder(left.keys(), right.keys())) {
      add(path + " (order of keys)", left.keys().toString(), right.keys().toString());
    }
  }

  private static boolean sameKeysInAnotherOrder(List<String> left, List<String> right) {
    return !left.equals(right)
        && left.stream().sorted().toList().equals(right.stream().sorted().toList());
  }

  private static Optional<BodyTree> value(BodyTree.ObjectNode object, String key) {
    return object.members().stream()
        .filter(member -> member.key().equals(key))
        .map(BodyTree.Member::value)
        .findFirst();
  }

  private void compareItems(String path, BodyTree.ArrayNode left, BodyTree.ArrayNode right) {
    int common = Math.min(left.items().size(), right.items().size());
    for (int i = 0; i < common; i++) {
      compare(child(path, Integer.toString(i)), left.items().get(i), right.items().get(i));
    }
    if (left.items().size() != right.items().size()) {
      add(
          path + " (length)",
          Integer.toString(left.items().size()),
          Integer.toString(right.items().size()));
    }
  }

  private static String child(String path, String step) {
    return path.isEmpty() ? step : path + "." + step;
  }

  private void add(String path, String reference, String candidate) {
    if (found.size() < limit) {
      found.add(new Difference(("body " + path).strip(), reference, candidate));
    }
  }
}
