package dev.weir.config.load;

import dev.weir.config.policy.Inherits;
import dev.weir.config.policy.Sections;
import dev.weir.config.policy.Setting;
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
 * Turns YAML nodes into policy records, guided by the records' components and their {@link
 * Setting}s. Goes on after a problem, so that all are reported. Confined to the reading thread.
 */
final class SectionBinder {
  private final Problems problems;
  private final Environment environment;
  private final Map<String, Node> places = new HashMap<>();
  private final IdentityHashMap<Node, Node> keys = new IdentityHashMap<>();
  private final Set<String> broken = new HashSet<>();
  private final Set<String> keptInFiles = new HashSet<>();
  private final Set<Path> files = new HashSet<>();
  private final Map<String, Record> sections = new HashMap<>();

  /**
   * A section that another one takes over what it does not say.
   *
   * @param path its whole name
   */
  private record Base(Record section, String path) {}

  SectionBinder(Problems problems, Environment environment) {
    this.problems = problems;
    this.environment = environment;
  }

  /** What came from other files. */
  FileValues fromFiles() {
    return new FileValues(keptInFiles, files);
  }

  /**
   * Reports a problem at the place of a key, or of the nearest section that was written; unless
   * something near it is wrong already, for which a default stands in: that may be the reason.
   */
  void report(String path, String problem) {
    report(path, problem, "");
  }

  /** The same, with what to do. */
  void report(String path, String problem, String hint) {
    report(path, problem, hint, false);
  }

  /** Reports that a name that the file gives is wrong, at the name instead of its value. */
  void reportName(String path, String problem, String hint) {
    report(path, problem, hint, true);
  }

  private void report(String path, String problem, String hint, boolean name) {
    if (broken.stream().anyMatch(other -> near(other).equals(near(path)))) {
      return;
    }
    String message =
        keptInFiles.contains(path)
            ? "got a value from a file" + problem.substring(problem.lastIndexOf(" (expected: "))
            : problem;
    for (String at = path; ; at = at.substring(0, Math.max(0, at.lastIndexOf('.')))) {
      Node node = places.get(at);
      if (node != null) {
        Node place = name && at.equals(path) ? keys.getOrDefault(node, node) : node;
        problems.at(place, message + ": " + path, hint);
        return;
      }
    }
  }

  /**
   * The record of a section.
   *
   * @param node the section, or null when it is not written
   * @param path dotted, empty for the whole file
   * @return null when a problem was reported
   */
  <T> @Nullable T bind(Class<T> type, @Nullable Node node, String path) {
    return bind(type, node, path, null);
  }

  /**
   * The same.
   *
   * @param base whose values stand for those that are not written; null for defaults
   */
  private <T> @Nullable T bind(
      Class<T> type, @Nullable Node node, String path, @Nullable Base base) {
    Map<String, Node> written = new LinkedHashMap<>();
    if (node != null) {
      places.put(path, node);
      if (!readMapping(node, path, written)) {
        return null;
      }
    }
    RecordComponent[] components = type.getRecordComponents();
    refuseUnknown(written, components, path);
    Object[] values = new Object[components.length];
    boolean complete = true;
    for (int i = 0; i < components.length; i++) {
      String key = Sections.join(path, Sections.key(components[i]));
      Object value =
          value(components[i], written.get(Sections.key(components[i])), node, key, base);
      values[i] = value != null ? value : standIn(components[i], key);
      complete &= values[i] != null;
    }
    if (!complete) {
      return null;
    }
    T section = Sections.make(type, values);
    if (section instanceof Record record) {
      sections.put(path, record);
    }
    return section;
  }

  /**
   * A default for a value that is wrong, so that the rest is looked at; null when there is none.
   */
  private @Nullable Object standIn(RecordComponent component, String path) {
    broken.add(path);
    Setting setting = component.getAnnotation(Setting.class);
    Class<?> type = component.getType();
    if (setting == null) {
      return bind(type, null, path);
    }
    boolean many = type == List.class || type == Map.class;
    return setting.value().equals(Setting.REQUIRED) && !many
        ? null
        : many ? (type == List.class ? List.of() : Map.of()) : readSafely(type, setting.value());
  }

  /** The first two words of a path. */
  private static String near(String path) {
    int dot = path.indexOf('.', path.indexOf('.') + 1);
    return dot < 0 ? path : path.substring(0, dot);
  }

  private boolean readMapping(Node node, String path, Map<String, Node> written) {
    if (isEmpty(node)) {
      return true;
    }
    if (!(node instanceof MappingNode mapping)) {
      problems.at(node, "got " + kind(node) + " (expected: keys and values): " + show(path), "");
      return false;
    }
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        problems.at(tuple.getKeyNode(), "got a key that is no word (expected: a word)", "");
        continue;
      }
      Node earlier = written.putIfAbsent(key.getValue(), tuple.getValueNode());
      if (earlier != null) {
        problems.at(
            key,
            "got '" + key.getValue() + "' a second time (expected: once) in " + show(path),
            "");
      } else {
        keys.put(tuple.getValueNode(), key);
      }
    }
    return true;
  }

  private void refuseUnknown(Map<String, Node> written, RecordComponent[] components, String path) {
    List<String> known = Arrays.stream(components).map(Sections::key).toList();
    written.forEach((key, node) -> {
      if (!known.contains(key)) {
        problems.at(
            keys.getOrDefault(node, node),
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
    String near = NearMiss.hint(key, known);
    List<String> elsewhere = near.isEmpty() ? KnownKeys.sectionsWith(key) : List.of();
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
      @Nullable Base around) {
    Class<?> type = component.getType();
    Base base = base(component, around);
    if (type.isRecord() && component.getAnnotation(Setting.class) == null) {
      return bind(type, node, path, base);
    }
    Setting setting = component.getAnnotation(Setting.class);
    if (node == null || (isEmpty(node) && !setting.value().isEmpty())) {
      if (around != null) {
        stayHidden(Sections.join(around.path(), Sections.key(component)), path);
        return Sections.read(around.section(), component);
      }
      return absent(setting, type, node != null ? node : section, path);
    }
    places.put(path, node);
    if (type == Map.class) {
      return map(argument(component, 1), node, setting, path);
    }
    if (type == List.class) {
      return list(argument(component, 0), node, setting, path);
    }
    return scalar(type, node, setting, path);
  }

  private @Nullable Base base(RecordComponent component, @Nullable Base around) {
    Inherits inherits = component.getAnnotation(Inherits.class);
    if (inherits != null) {
      Record section = sections.get(inherits.value());
      return section == null ? null : new Base(section, inherits.value());
    }
    return around != null && Sections.isSection(component.getType())
        ? new Base(
            (Record) Sections.read(around.section(), component),
            Sections.join(around.path(), Sections.key(component)))
        : null;
  }

  /** What came from files is not shown where it was taken over either. */
  private void stayHidden(String from, String to) {
    for (String kept : List.copyOf(keptInFiles)) {
      if (kept.startsWith(from)
          && (kept.length() == from.length() || ".[".indexOf(kept.charAt(from.length())) >= 0)) {
        keptInFiles.add(to + kept.substring(from.length()));
      }
    }
  }

  private @Nullable Object absent(
      Setting setting, Class<?> type, @Nullable Node near, String path) {
    if (setting.value().equals(Setting.REQUIRED)) {
      String message = "got no '" + path + "' (expected: it is required)";
      if (near == null) {
        problems.whole(message, "");
      } else {
        problems.at(near, message, "");
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

  private @Nullable Object map(Class<?> type, Node node, Setting setting, String path) {
    Map<String, Node> written = new LinkedHashMap<>();
    if (!readMapping(node, path, written)) {
      return null;
    }
    Map<String, Object> result = new LinkedHashMap<>();
    boolean complete = countFits(written.size(), setting, node, path);
    for (Map.Entry<String, Node> entry : written.entrySet()) {
      Object value = element(type, entry.getValue(), Sections.join(path, entry.getKey()));
      if (value == null) {
        complete = false;
      } else {
        result.put(entry.getKey(), value);
      }
    }
    return complete ? Collections.unmodifiableMap(result) : null;
  }

  private @Nullable Object list(Class<?> type, Node node, Setting setting, String path) {
    if (!(node instanceof SequenceNode sequence)) {
      problems.at(node, "got " + kind(node) + " (expected: a list): " + path, "write it as [...]");
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

  /** A value of a list or a map: a single one, or a section. */
  private @Nullable Object element(Class<?> type, Node node, String path) {
    places.put(path, node);
    return Scalars.isScalar(type) ? scalar(type, node, null, path) : bind(type, node, path);
  }

  private boolean countFits(int count, Setting setting, Node node, String path) {
    int least = setting.min().isEmpty() ? 0 : Integer.parseInt(setting.min());
    int most = setting.max().isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(setting.max());
    if (count >= least && count <= most) {
      return true;
    }
    String expected =
        least == most
            ? "exactly " + least
            : count < least ? "at least " + least : "at most " + most;
    problems.at(node, "got " + count + " entries (expected: " + expected + "): " + path, "");
    return false;
  }

  private @Nullable Object scalar(
      Class<?> type, Node node, @Nullable Setting setting, String path) {
    if (!(node instanceof ScalarNode scalar)) {
      problems.at(node, "got " + kind(node) + " (expected: one value): " + path, "");
      return null;
    }
    Environment.Expanded expanded = environment.expand(scalar.getValue());
    boolean hidden = !expanded.files().isEmpty();
    if (hidden) {
      keptInFiles.add(path);
      files.addAll(expanded.files());
    }
    if (!expanded.faults().isEmpty()) {
      expanded.faults().forEach(fault -> problems.at(node, fault + ": " + path, ""));
      return null;
    }
    try {
      Object value = Scalars.read(type, expanded.text());
      return setting == null || inBounds(value, type, setting, node, path) ? value : null;
    } catch (Scalars.NotReadable e) {
      String got =
          hidden
              ? "a value from a file"
              : setting != null && setting.secret() ? "a value" : "'" + expanded.text() + "'";
      problems.at(
          node, "got " + got + " (expected: " + e.expected + "): " + path, hidden ? "" : e.hint);
      return null;
    }
  }

  private boolean inBounds(Object value, Class<?> type, Setting setting, Node node, String path) {
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
      String got = ((ScalarNode) node).getValue();
      problems.at(node, "got " + got + " (expected: " + expected + "): " + path, "");
    }
    return fits;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(Object value, Object bound) {
    return ((Comparable) value).compareTo(bound);
  }

  private static Object readSafely(Class<?> type, String text) {
    try {
      return Scalars.read(type, text);
    } catch (Scalars.NotReadable e) {
      throw new IllegalStateException("got '" + text + "' in a @Setting (expected: a value)", e);
    }
  }

  private static Class<?> argument(RecordComponent component, int index) {
    Type[] arguments = ((ParameterizedType) component.getGenericType()).getActualTypeArguments();
    return (Class<?>) arguments[index];
  }

  private static boolean isEmpty(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  private static String kind(Node node) {
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
