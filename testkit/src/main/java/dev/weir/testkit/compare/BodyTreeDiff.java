package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds what of a parsed body none of the references has at the same place; the order of keys
 * counts.
 */
final class BodyTreeDiff {
  private static final String ABSENT = "(absent)";

  private final List<Difference> found = new ArrayList<>();
  private final int limit;

  private BodyTreeDiff(int limit) {
    this.limit = limit;
  }

  /**
   * Returns the first differences in the order of the first reference.
   *
   * @param references at least one
   */
  static List<Difference> of(List<BodyTree> references, BodyTree candidate, int limit) {
    BodyTreeDiff diff = new BodyTreeDiff(limit);
    diff.compare("", references, candidate);
    return List.copyOf(diff.found);
  }

  private void compare(String path, List<BodyTree> references, BodyTree candidate) {
    String text = candidate.toString();
    if (references.stream().anyMatch(each -> each.toString().equals(text))) {
      return;
    }
    List<BodyTree.ObjectNode> objects = only(BodyTree.ObjectNode.class, references);
    List<BodyTree.ArrayNode> arrays = only(BodyTree.ArrayNode.class, references);
    if (candidate instanceof BodyTree.ObjectNode object && !objects.isEmpty()) {
      compareMembers(path, objects, object);
    } else if (candidate instanceof BodyTree.ArrayNode array && !arrays.isEmpty()) {
      compareItems(path, arrays, array);
    } else if (!UnboundedValues.contain(references, candidate)) {
      add(path, references.getFirst().toString(), text);
    }
  }

  private static <T extends BodyTree> List<T> only(Class<T> kind, List<BodyTree> trees) {
    return trees.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private void compareMembers(
      String path, List<BodyTree.ObjectNode> references, BodyTree.ObjectNode candidate) {
    Set<String> keys = new LinkedHashSet<>();
    references.forEach(each -> keys.addAll(each.keys()));
    keys.addAll(candidate.keys());
    for (String key : keys) {
      List<BodyTree> values =
          references.stream().flatMap(each -> value(each, key).stream()).toList();
      Optional<BodyTree> value = value(candidate, key);
      if (value.isPresent() && !values.isEmpty()) {
        compare(child(path, key), values, value.get());
      } else if (value.isPresent()) {
        add(child(path, key), ABSENT, value.get().toString());
      } else if (values.size() == references.size()) {
        add(child(path, key), values.getFirst().toString(), ABSENT);
      }
    }
    compareOrder(path, references.stream().map(BodyTree.ObjectNode::keys), candidate.keys());
  }

  /** Compares with the references that have the same keys. */
  private void compareOrder(String path, Stream<List<String>> references, List<String> candidate) {
    List<String> sorted = candidate.stream().sorted().toList();
    List<List<String>> orders =
        references.filter(keys -> keys.stream().sorted().toList().equals(sorted)).toList();
    if (!orders.isEmpty() && !orders.contains(candidate)) {
      add(path + " (order of keys)", orders.getFirst().toString(), candidate.toString());
    }
  }

  private static Optional<BodyTree> value(BodyTree.ObjectNode object, String key) {
    return object.members().stream()
        .filter(member -> member.key().equals(key))
        .map(BodyTree.Member::value)
        .findFirst();
  }

  private void compareItems(
      String path, List<BodyTree.ArrayNode> references, BodyTree.ArrayNode candidate) {
    int length = candidate.items().size();
    for (int i = 0; i < length; i++) {
      int position = i;
      List<BodyTree> items =
          references.stream()
              .map(BodyTree.ArrayNode::items)
              .filter(all -> position < all.size())
              .map(all -> all.get(position))
              .toList();
      if (!items.isEmpty()) {
        compare(child(path, Integer.toString(i)), items, candidate.items().get(i));
      }
    }
    if (references.stream().noneMatch(each -> each.items().size() == length)) {
      add(
          path + " (length)",
          Integer.toString(references.getFirst().items().size()),
          Integer.toString(length));
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
