package dev.weir.testkit.compare;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Looks into trees. */
final class BodyTrees {
  private BodyTrees() {}

  /** The value at a path of keys and array positions. */
  static Optional<BodyTree> find(BodyTree tree, List<String> path) {
    if (path.isEmpty()) {
      return Optional.of(tree);
    }
    String step = path.getFirst();
    List<String> rest = path.subList(1, path.size());
    return switch (tree) {
      case BodyTree.ObjectNode object ->
          object.members().stream()
              .filter(member -> member.key().equals(step))
              .findFirst()
              .flatMap(member -> find(member.value(), rest));
      case BodyTree.ArrayNode array -> position(step, array).flatMap(item -> find(item, rest));
      case BodyTree.ScalarNode leaf -> Optional.empty();
    };
  }

  private static Optional<BodyTree> position(String step, BodyTree.ArrayNode array) {
    if (step.isEmpty() || !step.chars().allMatch(Character::isDigit)) {
      return Optional.empty();
    }
    int position = Integer.parseInt(step);
    return position < array.items().size()
        ? Optional.of(array.items().get(position))
        : Optional.empty();
  }

  /** The tree with each key and scalar changed; positions stay. */
  static BodyTree map(BodyTree tree, UnaryOperator<String> change) {
    return switch (tree) {
      case BodyTree.ObjectNode object ->
          new BodyTree.ObjectNode(
              object.members().stream()
                  .map(each ->
                      new BodyTree.Member(change.apply(each.key()), map(each.value(), change)))
                  .toList(),
              object.start(),
              object.end());
      case BodyTree.ArrayNode array ->
          new BodyTree.ArrayNode(
              array.items().stream().map(item -> map(item, change)).toList(),
              array.start(),
              array.end());
      case BodyTree.ScalarNode leaf ->
          new BodyTree.ScalarNode(change.apply(leaf.text()), leaf.start(), leaf.end());
    };
  }
}
