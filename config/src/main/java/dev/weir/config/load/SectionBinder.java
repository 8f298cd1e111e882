package dev.weir.config.load;

import dev.weir.config.policy.ConfigKey;
import dev.weir.config.policy.InheritsFrom;
import dev.weir.config.policy.SectionReflection;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Creates policy records from YAML nodes, by the records' components and their {@link ConfigKey}s.
 * Continues after a problem, so that all problems are reported. Confined to the reading thread.
 */
final class SectionBinder {
  private final ProblemCollector problems;
  private final PlaceholderResolver environment;
  private final Map<String, Node> valueNodes = new HashMap<>();
  private final IdentityHashMap<Node, Node> keyNodes = new IdentityHashMap<>();
  private final Set<String> brokenPaths = new HashSet<>();
  private final Set<String> externalKeys = new HashSet<>();
  private final Set<Path> files = new HashSet<>();
  private final Map<String, Record> sections = new HashMap<>();

  /**
   * A section from which another one inherits the keys that the file leaves out.
   *
   * @param path the full name of the section
   */
  private record InheritedSection(Record section, String path) {}

  SectionBinder(ProblemCollector problems, PlaceholderResolver environment) {
    this.problems = problems;
    this.environment = environment;
  }

  /** Returns the values that come from other files. */
  FileReferences fileReferences() {
    return new FileReferences(externalKeys, files);
  }

  /**
   * Reports a problem at a key, or at the nearest section that the file contains. Reports nothing
   * if a default already replaces an invalid value nearby, which may have caused this problem.
   */
  void report(String path, String problem) {
    report(path, problem, "");
  }

  /** Reports a problem with a hint what to do. */
  void report(String path, String problem, String hint) {
    report(path, problem, hint, false);
  }

  /** Reports an invalid name that the operator chose, at the name instead of its value. */
  void reportName(String path, String problem, String hint) {
    report(path, problem, hint, true);
  }

  /** Returns whether the value of a key is a default because the file's has a problem. */
  boolean isBroken(String path) {
    return brokenPaths.stream().anyMatch(broken -> (path + ".").startsWith(broken + "."));
  }

  private void report(String path, String problem, String hint, boolean name) {
    if (brokenPaths.stream()
        .anyMatch(other -> firstTwoSegments(other).equals(firstTwoSegments(path)))) {
      return;
    }
    String message =
        externalKeys.contains(path)
            ? "got a value from a file" + problem.substring(problem.lastIndexOf(" (expected: "))
            : problem;
    for (String at = path; ; at = at.substring(0, Math.max(0, at.lastIndexOf('.')))) {
      Node node = valueNodes.get(at);
      if (node != null) {
        Node place = name && at.equals(path) ? keyNodes.getOrDefault(node, node) : node;
        problems.report(place, message + ": " + path, hint);
        return;
      }
    }
  }

  /**
   * Creates the record of a section.
   *
   * @param node the section; null if the file leaves it out
   * @param path dotted; empty for the whole file
   * @return null if a problem was reported
   */
  <T> @Nullable T bind(Class<T> type, @Nullable Node node, String path) {
    return bind(type, node, path, null);
  }

  /**
   * Creates the record of a section that may inherit from another.
   *
   * @param base its values replace missing ones; null for defaults
   */
  private <T> @Nullable T bind(
      Class<T> type, @Nullable Node node, String path, @Nullable InheritedSection base) {
    Map<String, Node> written = new LinkedHashMap<>();
    if (node != null) {
      valueNodes.put(path, node);
      if (!readMapping(node, path, written)) {
        return null;
      }
    }
    RecordComponent[] components = type.getRecordComponents();
    refuseUnknown(written, components, path);
    Object[] values = new Object[components.length];
    boolean complete = true;
    for (int i = 0; i < components.length; i++) {
      String key = SectionReflection.join(path, SectionReflection.keyOf(components[i]));
      Object value =
          value(
              components[i], written.get(SectionReflection.keyOf(components[i])), node, key, base);
      values[i] = value != null ? value : defaultInstead(components[i], key);
      complete &= values[i] != null;
    }
    if (!complete) {
      return null;
    }
    T section = SectionReflection.newSection(type, values);
    if (section instanceof Record record) {
      sections.put(path, record);
    }
    return section;
  }

  /**
   * Returns a default in place of an invalid value, so that the rest can be checked; null if there
   * is none.
   */
  private @Nullable Object defaultInstead(RecordComponent component, String path) {
    brokenPaths.add(path);
    ConfigKey setting = component.getAnnotation(ConfigKey.class);
    Class<?> type = component.getType();
    if (setting == null) {
      return bind(type, null, path);
    }
    boolean many = type == List.class || type == Map.class;
    return setting.value().equals(ConfigKey.REQUIRED) && !many
        ? null
        : many ? (type == List.class ? List.of() : Map.of()) : readSafely(type, setting.value());
  }

  /** Returns the first two segments of a path. */
  private static String firstTwoSegments(String path) {
    int dot = path.indexOf('.', path.indexOf('.') + 1);
    return dot < 0 ? path : path.substring(0, dot);
  }

  private boolean readMapping(Node node, String path, Map<String, Node> written) {
    if (isEmpty(node)) {
      return true;
    }
    if (!(node instanceof MappingNode mapping)) {
      problems.report(
          node, "got " + nodeKind(node) + " (expected: keys and values): " + show(path), "");
      return false;
    }
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        problems.report(tuple.getKeyNode(), "got a key that is no word (expected: a word)", "");
        continue;
      }
      Node earlier = written.putIfAbsent(key.getValue(), tuple.getValueNode());
      if (earlier != null) {
        problems.report(
            key,
            "got '" + key.getValue() + "' a second time (expected: once) in " + show(path),
            "");
      } else {
        keyNodes.put(tuple.getValueNode(), key);
      }
    }
    return true;
  }

  private void refuseUnknown(Map<String, Node> written, RecordComponent[] components, String path) {
    List<String> known = Arrays.stream(components).map(SectionReflection::keyOf).toList();
    written.forEach((key, node) -> {
      if (!known.contains(key)) {
        problems.reportUnknownKey(
            keyNodes.getOrDefault(node, node),
            "got unknown key '"
                + key
                + "' in "
                + show(path)
                + " (expected: "
                + String.join(", ", known)
                + ")",
            hint(key, known, path));
      }
    });
  }

  private static String hint(String key, List<String> known, String path) {
    String near = SpellingSuggester.suggest(key, known);
    List<String> elsewhere = near.isEmpty() ? KeyLocator.sectionsWith(key) : List.of();
    return elsewhere.isEmpty() || elsewhere.size() > 3
        ? near
        : "there is one in "
            + String.join(", ", elsewhere)
            + (path.startsWith("policies.") ? ", which holds for all requests" : "");
  }

  private @Nullable Object value(
      RecordComponent component,
      @Nullable Node node,
      @Nullable Node section,
      String path,
      @Nullable InheritedSection inherited) {
    Class<?> type = component.getType();
    InheritedSection base = inheritedSection(component, inherited);
    if (type.isRecord() && component.getAnnotation(ConfigKey.class) == null) {
      return bind(type, node, path, base);
    }
    ConfigKey setting = component.getAnnotation(ConfigKey.class);
    if (node == null || (isEmpty(node) && !setting.value().isEmpty())) {
      if (inherited != null) {
        hideInherited(
            SectionReflection.join(inherited.path(), SectionReflection.keyOf(component)), path);
        return SectionReflection.readComponent(inherited.section(), component);
      }
      return defaultValue(setting, type, node != null ? node : section, path);
    }
    valueNodes.put(path, node);
    if (type == Map.class) {
      return map(argument(component, 1), node, setting, path);
    }
    if (type == List.class) {
      return list(argument(component, 0), node, setting, path);
    }
    return scalar(type, node, setting, path);
  }

  private @Nullable InheritedSection inheritedSection(
      RecordComponent component, @Nullable InheritedSection inherited) {
    InheritsFrom inherits = component.getAnnotation(InheritsFrom.class);
    if (inherits != null) {
      Record section = sections.get(inherits.value());
      return section == null ? null : new InheritedSection(section, inherits.value());
    }
    return inherited != null && SectionReflection.isSection(component.getType())
        ? new InheritedSection(
            (Record) SectionReflection.readComponent(inherited.section(), component),
            SectionReflection.join(inherited.path(), SectionReflection.keyOf(component)))
        : null;
  }

  /** Hides inherited values that come from files. */
  private void hideInherited(String from, String to) {
    for (String kept : List.copyOf(externalKeys)) {
      if (kept.startsWith(from)
          && (kept.length() == from.length() || ".[".indexOf(kept.charAt(from.length())) >= 0)) {
        externalKeys.add(to + kept.substring(from.length()));
      }
    }
  }

  private @Nullable Object defaultValue(
      ConfigKey setting, Class<?> type, @Nullable Node near, String path) {
    if (setting.value().equals(ConfigKey.REQUIRED)) {
      String message = "got no '" + path + "' (expected: it is required)";
      if (near == null) {
        problems.reportForFile(message, "");
      } else {
        problems.report(near, message, "");
      }
      return null;
    }
    if (type == List.class) {
      return List.of();
    }
    if (type == Map.class) {
      return Map.of();
    }
    return readSafely(type, setting.value());
  }

  private @Nullable Object map(Class<?> type, Node node, ConfigKey setting, String path) {
    Map<String, Node> written = new LinkedHashMap<>();
    if (!readMapping(node, path, written)) {
      return null;
    }
    Map<String, Object> result = new LinkedHashMap<>();
    boolean complete = countFits(written.size(), setting, node, path);
    for (Map.Entry<String, Node> entry : written.entrySet()) {
      Object value = element(type, entry.getValue(), SectionReflection.join(path, entry.getKey()));
      if (value == null) {
        complete = false;
      } else {
        result.put(entry.getKey(), value);
      }
    }
    return complete ? Collections.unmodifiableMap(result) : null;
  }

  private @Nullable Object list(Class<?> type, Node node, ConfigKey setting, String path) {
    if (!(node instanceof SequenceNode sequence)) {
      problems.report(
          node, "got " + nodeKind(node) + " (expected: a list): " + path, "write it as [...]");
      return null;
    }
    List<Object> result = new ArrayList<>();
    int index = 0;
    boolean complete = countFits(sequence.getValue().size(), setting, node, path);
    for (Node element : sequence.getValue()) {
      Object value = element(type, element, path + "[" + index++ + "]");
      if (value == null) {
        complete = false;
      } else {
        result.add(value);
      }
    }
    return complete ? List.copyOf(result) : null;
  }

  /** Creates an element of a list or a map: a single value or a section. */
  private @Nullable Object element(Class<?> type, Node node, String path) {
    valueNodes.put(path, node);
    return ScalarParser.isScalar(type) ? scalar(type, node, null, path) : bind(type, node, path);
  }

  private boolean countFits(int count, ConfigKey setting, Node node, String path) {
    int min = setting.min().isEmpty() ? 0 : Integer.parseInt(setting.min());
    int max = setting.max().isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(setting.max());
    if (count >= min && count <= max) {
      return true;
    }
    String expected =
        min == max ? "exactly " + min : count < min ? "at least " + min : "at most " + max;
    problems.report(node, "got " + count + " entries (expected: " + expected + "): " + path, "");
    return false;
  }

  private @Nullable Object scalar(
      Class<?> type, Node node, @Nullable ConfigKey setting, String path) {
    if (!(node instanceof ScalarNode scalar)) {
      problems.report(node, "got " + nodeKind(node) + " (expected: one value): " + path, "");
      return null;
    }
    PlaceholderResolver.ExpandedValue expanded = environment.expand(scalar.getValue());
    boolean hidden = !expanded.files().isEmpty();
    if (hidden) {
      externalKeys.add(path);
      files.addAll(expanded.files());
    }
    if (!expanded.errors().isEmpty()) {
      expanded.errors().forEach(fault -> problems.report(node, fault + ": " + path, ""));
      return null;
    }
    try {
      Object value = ScalarParser.parse(type, expanded.text(), setting);
      String quotable =
          !hidden && isQuotable(setting, scalar.getValue(), expanded.text())
              ? expanded.text()
              : "a value";
      return setting == null || inBounds(value, type, quotable, setting, node, path) ? value : null;
    } catch (ScalarParser.InvalidScalarException e) {
      String got =
          hidden
              ? "a value from a file"
              : isQuotable(setting, scalar.getValue(), expanded.text())
                  ? "'" + expanded.text() + "'"
                  : "a value";
      problems.report(
          node, "got " + got + " (expected: " + e.expected + "): " + path, hidden ? "" : e.hint);
      return null;
    }
  }

  /** An environment variable may hold a secret by mistake, as may the file. */
  private static boolean isQuotable(@Nullable ConfigKey setting, String written, String expanded) {
    return (setting == null || !setting.secret())
        && !SecretText.mayContainSecret(written)
        && !SecretText.mayContainSecret(expanded);
  }

  /**
   * Reports a value out of its bounds.
   *
   * @param got the value in the message
   */
  private boolean inBounds(
      Object value, Class<?> type, String got, ConfigKey setting, Node node, String path) {
    boolean fits =
        (setting.min().isEmpty() || compare(value, readSafely(type, setting.min())) >= 0)
            && (setting.max().isEmpty() || compare(value, readSafely(type, setting.max())) <= 0);
    if (!fits) {
      String expected =
          setting.max().isEmpty()
              ? "at least " + setting.min()
              : setting.min().isEmpty()
                  ? "at most " + setting.max()
                  : setting.min() + " to " + setting.max();
      problems.report(node, "got " + got + " (expected: " + expected + "): " + path, "");
    }
    return fits;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(Object value, Object bound) {
    return ((Comparable) value).compareTo(bound);
  }

  private static Object readSafely(Class<?> type, String text) {
    try {
      return ScalarParser.parse(type, text);
    } catch (ScalarParser.InvalidScalarException e) {
      throw new IllegalStateException("got '" + text + "' in a @ConfigKey (expected: a value)", e);
    }
  }

  private static Class<?> argument(RecordComponent component, int index) {
    Type[] arguments = ((ParameterizedType) component.getGenericType()).getActualTypeArguments();
    return (Class<?>) arguments[index];
  }

  private static boolean isEmpty(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  private static String nodeKind(Node node) {
    return switch (node) {
      case ScalarNode scalar ->
          isEmpty(scalar) ? "nothing" : "the value '" + scalar.getValue() + "'";
      case SequenceNode _ -> "a list";
      case MappingNode _ -> "keys and values";
      default -> "something else";
    };
  }

  private static String show(String path) {
    return path.isEmpty() ? "the file" : "'" + path + "'";
  }
}
