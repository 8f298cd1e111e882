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
 * Turns a policy back into nested maps with the keys of the YAML file, to be shown; secrets are
 * redacted.
 */
public final class PolicyTree {
  static final String REDACTED = "<redacted>";

  private PolicyTree() {}

  /** The keys and values of a section; values are maps, lists, numbers, booleans or text. */
  public static Map<String, Object> of(Record section) {
    return of(section, List.of());
  }

  /**
   * The same.
   *
   * @param hidden keys whose values are not shown, besides secrets
   */
  public static Map<String, Object> of(Record section, Collection<String> hidden) {
    return section("", section, hidden);
  }

  private static Map<String, Object> section(
      String path, Record section, Collection<String> hidden) {
    Map<String, Object> tree = new LinkedHashMap<>();
    for (RecordComponent component : section.getClass().getRecordComponents()) {
      String key = Sections.key(component);
      Setting setting = component.getAnnotation(Setting.class);
      boolean secret = setting != null && setting.secret();
      tree.put(
          key,
          secret
              ? REDACTED
              : show(Sections.join(path, key), Sections.read(section, component), hidden));
    }
    return tree;
  }

  static Object show(String path, Object value, Collection<String> hidden) {
    if (hidden.contains(path)) {
      return REDACTED;
    }
    return switch (value) {
      case ByteSize size -> size.toString();
      case HostPort address -> address.toString();
      case Attribute attribute -> attribute.toString();
      case Duration duration -> show(duration);
      case AutoTime time -> time.auto() ? "auto" : show(time.time());
      case Enum<?> choice -> choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
      case Record section -> section(path, section, hidden);
      case List<?> list -> {
        List<Object> shown = new ArrayList<>();
        list.forEach(entry -> shown.add(show(path + "[" + shown.size() + "]", entry, hidden)));
        yield shown;
      }
      case Map<?, ?> map -> {
        Map<String, Object> shown = new LinkedHashMap<>();
        map.forEach((key, entry) ->
            shown.put(key.toString(), show(Sections.join(path, key.toString()), entry, hidden)));
        yield shown;
      }
      default -> value;
    };
  }

  private static String show(Duration duration) {
    long millis = duration.toMillis();
    return millis % 60_000 == 0 && millis > 0
        ? millis / 60_000 + "m"
        : millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
