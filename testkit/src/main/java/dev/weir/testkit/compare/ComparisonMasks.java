package dev.weir.testkit.compare;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Which values of a body may differ, and which arrays may be in any order. That a value is unknown
 * ({@code _na_}) is always compared.
 *
 * @param ignored values that are not compared
 * @param unordered arrays whose order is not compared
 */
public record ComparisonMasks(List<PathPattern> ignored, List<PathPattern> unordered) {
  /** What a node writes for an id that it does not know. */
  static final String UNKNOWN = "\"_na_\"";

  /**
   * Times, and names of nodes and contexts, which differ between any two answers of the same node.
   */
  public static final ComparisonMasks DEFAULT =
      new ComparisonMasks(
          List.of(
              PathPattern.of("took"),
              PathPattern.of("ingest_took"),
              PathPattern.of("responses.*.took"),
              PathPattern.of("_scroll_id"),
              PathPattern.of("pit_id"),
              PathPattern.of("creation_time"),
              PathPattern.of("profile.shards.*.id"),
              PathPattern.of("profile.shards.*.inbound_network_time_in_millis"),
              PathPattern.of("profile.shards.*.outbound_network_time_in_millis"),
              PathPattern.of("profile.**.time_in_nanos"),
              PathPattern.of("profile.**.reduce_time_in_nanos"),
              PathPattern.of("profile.**.rewrite_time"),
              PathPattern.of("profile.**.breakdown.*"),
              PathPattern.of("profile.**.max_slice_time_in_nanos"),
              PathPattern.of("profile.**.min_slice_time_in_nanos"),
              PathPattern.of("profile.**.avg_slice_time_in_nanos"),
              PathPattern.of("**.failures.*.node"),
              PathPattern.of("**.failed_shards.*.node"),
              PathPattern.of("**.index_uuid"),
              PathPattern.of("**.stack_trace")),
          List.of());

  /** Copies the lists. */
  public ComparisonMasks {
    ignored = List.copyOf(ignored);
    unordered = List.copyOf(unordered);
  }

  /** These and more. */
  ComparisonMasks merge(ComparisonMasks more) {
    return new ComparisonMasks(join(ignored, more.ignored), join(unordered, more.unordered));
  }

  private static List<PathPattern> join(List<PathPattern> first, List<PathPattern> second) {
    List<PathPattern> all = new ArrayList<>(first);
    all.addAll(second);
    return List.copyOf(all);
  }

  /** The tree without what may differ. */
  BodyTree apply(BodyTree tree) {
    return apply(tree, new ArrayDeque<>());
  }

  private BodyTree apply(BodyTree tree, Deque<String> path) {
    if (isMasked(tree, path)) {
      return BodyTree.MASKED;
    }
    return switch (tree) {
      case BodyTree.ObjectNode object -> maskMembers(object, path);
      case BodyTree.ArrayNode array -> maskItems(array, path);
      case BodyTree.ScalarNode leaf -> leaf;
    };
  }

  private BodyTree maskMembers(BodyTree.ObjectNode object, Deque<String> path) {
    List<BodyTree.Member> masked = new ArrayList<>();
    for (BodyTree.Member member : object.members()) {
      path.addLast(member.key());
      masked.add(new BodyTree.Member(member.key(), apply(member.value(), path)));
      path.removeLast();
    }
    return new BodyTree.ObjectNode(masked, object.start(), object.end());
  }

  private BodyTree maskItems(BodyTree.ArrayNode array, Deque<String> path) {
    List<BodyTree> masked = new ArrayList<>();
    for (int i = 0; i < array.items().size(); i++) {
      path.addLast(Integer.toString(i));
      masked.add(apply(array.items().get(i), path));
      path.removeLast();
    }
    if (matches(unordered, path)) {
      masked.sort(Comparator.comparing(BodyTree::toString));
    }
    return new BodyTree.ArrayNode(masked, array.start(), array.end());
  }

  /**
   * The text of a body without what may differ; everything else, white space too, stays as it is.
   */
  String applyToText(BodyTree tree, String text) {
    StringBuilder masked = new StringBuilder();
    int from = applyToText(tree, text, new ArrayDeque<>(), masked, 0);
    return masked.append(text, from, text.length()).toString();
  }

  private int applyToText(
      BodyTree tree, String text, Deque<String> path, StringBuilder masked, int copiedTo) {
    if (isMasked(tree, path)) {
      masked.append(text, copiedTo, tree.start()).append(BodyTree.MASKED.text());
      return tree.end();
    }
    int copied = copiedTo;
    switch (tree) {
      case BodyTree.ObjectNode object -> {
        for (BodyTree.Member member : object.members()) {
          path.addLast(member.key());
          copied = applyToText(member.value(), text, path, masked, copied);
          path.removeLast();
        }
      }
      case BodyTree.ArrayNode array -> {
        for (int i = 0; i < array.items().size(); i++) {
          path.addLast(Integer.toString(i));
          copied = applyToText(array.items().get(i), text, path, masked, copied);
          path.removeLast();
        }
      }
      case BodyTree.ScalarNode leaf -> {
        // Copied with what follows it.
      }
    }
    return copied;
  }

  private boolean isMasked(BodyTree tree, Deque<String> path) {
    return matches(ignored, path) && !tree.toString().equals(UNKNOWN);
  }

  private static boolean matches(List<PathPattern> patterns, Deque<String> path) {
    List<String> steps = List.copyOf(path);
    return patterns.stream().anyMatch(pattern -> pattern.matches(steps));
  }
}
