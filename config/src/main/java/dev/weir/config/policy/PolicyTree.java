package dev.weir.config.policy;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Turns a policy back into nested maps with the keys of the YAML file, for display. Redacts
 * secrets.
 */
public final class PolicyTree {
  static final String REDACTED = "<redacted>";

  private PolicyTree() {}

  /**
   * Returns the keys and values of a section; values are maps, lists, numbers, booleans or text.
   */
  public static Map<String, Object> toMap(Record section) {
    return toMap(section, List.of());
  }

  /**
   * Returns the keys and values of a section.
   *
   * @param hidden keys whose values are not shown, besides secrets
   */
  public static Map<String, Object> toMap(Record section, Collection<String> hidden) {
    return sectionToMap("", section, hidden);
  }

  private static Map<String, Object> sectionToMap(
      String path, Record section, Collection<String> hidden) {
    Map<String, Object> tree = new LinkedHashMap<>();
    for (RecordComponent component : section.getClass().getRecordComponents()) {
      String key = SectionReflection.keyOf(component);
      ConfigKey setting = component.getAnnotation(ConfigKey.class);
      boolean secret = setting != null && setting.secret();
      tree.put(
          key,
          secret
              ? REDACTED
              : displayValue(
                  SectionReflection.join(path, key),
                  SectionReflection.readComponent(section, component),
                  hidden));
    }
    return tree;
  }

  static Object displayValue(String path, Object value, Collection<String> hidden) {
    if (hidden.contains(path)) {
      return REDACTED;
    }
    return switch (value) {
      case ByteSize size -> size.toString();
      case HostPort address -> address.toString();
      case NodeAttribute attribute -> attribute.toString();
      case Duration duration -> displayValue(duration);
      case AutoDuration time -> time.isAuto() ? "auto" : displayValue(time.duration());
      case Enum<?> choice -> choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
      case Record section -> sectionToMap(path, section, hidden);
      case List<?> list -> {
        List<Object> shown = new ArrayList<>();
        list.forEach(
            entry -> shown.add(displayValue(path + "[" + shown.size() + "]", entry, hidden)));
        yield shown;
      }
      case Map<?, ?> map -> {
        Map<String, Object> shown = new LinkedHashMap<>();
        map.forEach((key, entry) ->
            shown.put(
                key.toString(),
                displayValue(SectionReflection.join(path, key.toString()), entry, hidden)));
        yield shown;
      }
      default -> value;
    };
  }

  private static String displayValue(Duration duration) {
    long millis = duration.toMillis();
    return millis % 60_000 == 0 && millis > 0
        ? millis / 60_000 + "m"
        : millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
