package dev.weir.testkit.compare;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Looks into trees. */
final class Trees {
  private Trees() {}

  /** The value at a path of keys and array positions. */
  static Optional<Tree> find(Tree tree, List<String> path) {
    if (path.isEmpty()) {
      return Optional.of(tree);
    }
    String step = path.getFirst();
    List<String> rest = path.subList(1, path.size());
    return switch (tree) {
      case Tree.Members object ->
          object.members().stream()
              .filter(member -> member.key().equals(step))
              .findFirst()
              .flatMap(member -> find(member.value(), rest));
      case Tree.Items array -> position(step, array).flatMap(item -> find(item, rest));
      case Tree.Leaf leaf -> Optional.empty();
    };
  }

  private static Optional<Tree> position(String step, Tree.Items array) {
    if (step.isEmpty() || !step.chars().allMatch(Character::isDigit)) {
      return Optional.empty();
    }
    int position = Integer.parseInt(step);
    return position < array.items().size()
        ? Optional.of(array.items().get(position))
        : Optional.empty();
  }

  /** The tree with each key and scalar changed; positions stay. */
  static Tree map(Tree tree, UnaryOperator<String> change) {
    return switch (tree) {
      case Tree.Members object ->
          new Tree.Members(
              object.members().stream()
                  .map(each -> new Tree.Member(change.apply(each.key()), map(each.value(), change)))
                  .toList(),
              object.start(),
              object.end());
      case Tree.Items array ->
          new Tree.Items(
              array.items().stream().map(item -> map(item, change)).toList(),
              array.start(),
              array.end());
      case Tree.Leaf leaf -> new Tree.Leaf(change.apply(leaf.text()), leaf.start(), leaf.end());
    };
  }
}
