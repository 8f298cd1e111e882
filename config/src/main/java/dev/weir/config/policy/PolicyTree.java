package dev.weir.config.policy;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Turns a policy back into nested maps with the keys of the YAML file, to be shown; secrets are
 * redacted.
 */
public final class PolicyTree {
  private static final String REDACTED = "<redacted>";

  private PolicyTree() {}

  /** The keys and values of a section; values are maps, lists, numbers, booleans or text. */
  public static Map<String, Object> of(Record section) {
    Map<String, Object> tree = new LinkedHashMap<>();
    for (RecordComponent component : section.getClass().getRecordComponents()) {
      String key = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      Setting setting = component.getAnnotation(Setting.class);
      boolean secret = setting != null && setting.secret();
      tree.put(key, secret ? REDACTED : show(read(section, component)));
    }
    return tree;
  }

  private static Object read(Record section, RecordComponent component) {
    try {
      return component.getAccessor().invoke(section);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("got no " + component + " (expected: a public record)", e);
    }
  }

  private static Object show(Object value) {
    return switch (value) {
      case ByteSize size -> size.toString();
      case HostPort address -> address.toString();
      case Attribute attribute -> attribute.toString();
      case Duration duration -> show(duration);
      case AutoTime time -> time.auto() ? "auto" : show(time.time());
      case Enum<?> choice -> choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
      case Record section -> of(section);
      case List<?> list -> list.stream().map(PolicyTree::show).toList();
      case Map<?, ?> map -> {
        Map<String, Object> shown = new LinkedHashMap<>();
        map.forEach((key, section) -> shown.put(key.toString(), show(section)));
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
