package dev.weir.config.load;

import dev.weir.config.policy.ConfigKey;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.SectionReflection;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes every key of the configuration with its default, bounds and meaning, as YAML that can be
 * loaded.
 */
public final class ReferenceYamlWriter {
  private final StringBuilder out = new StringBuilder();

  private ReferenceYamlWriter() {}

  /** The whole reference. */
  public static String toYaml() {
    ReferenceYamlWriter writer = new ReferenceYamlWriter();
    writer.out.append(
        """
        # Every key of Weir's configuration with its default. Written by the build: do not edit.
        #
        # Times have a unit (ms, s, m, h, d), and so have sizes (b, kb, mb, gb, tb; or % of the heap).
        # Values may hold ${NAME} or ${NAME:-fallback}, an environment variable, and ${file:PATH}, what a file
        # holds, such as a secret, which is never shown; $$ is a dollar sign.
        # Live: a change takes effect while the gateway runs, as soon as the file is written. Restart: it takes
        # effect at the next start.
        """);
    writer.section(GatewayPolicy.class, 0, false);
    return writer.out.toString();
  }

  private void section(Class<?> type, int depth, boolean around) {
    for (RecordComponent component : type.getRecordComponents()) {
      String key = SectionReflection.keyOf(component);
      ConfigKey setting = component.getAnnotation(ConfigKey.class);
      boolean live = SectionReflection.isDynamic(component, around);
      out.append('\n');
      if (setting == null) {
        indent(depth).append(key).append(":\n");
        section(component.getType(), depth + 1, live);
      } else {
        comment(setting.doc(), depth);
        comment((bounds(component, setting) + (live ? " Live." : " Restart.")).strip(), depth);
        if (component.getType() == List.class) {
          entries((Class<?>) arguments(component)[0], depth, live);
        }
        value(component, key, setting, depth, live);
      }
    }
  }

  private void value(
      RecordComponent component, String key, ConfigKey setting, int depth, boolean live) {
    indent(depth).append(key).append(':');
    if (component.getType() == Map.class) {
      if (setting.value().isEmpty()) {
        out.append(" {}\n");
        return;
      }
      out.append('\n');
      indent(depth + 1).append("main:\n");
      section((Class<?>) arguments(component)[1], depth + 2, live);
    } else if (component.getType() == List.class) {
      boolean required = setting.value().equals(ConfigKey.REQUIRED);
      out.append(required ? " [\"127.0.0.1:9300\"]\n" : " []\n");
    } else if (setting.value().equals(ConfigKey.REQUIRED)) {
      out.append(' ').append(key.toUpperCase(Locale.ROOT)).append('\n');
    } else {
      String shown = setting.value().isEmpty() ? "\"\"" : setting.value();
      out.append(' ').append(shown).append('\n');
    }
  }

  /** What the sections of a list look like; none is there by default, so it is a comment. */
  private void entries(Class<?> type, int depth, boolean live) {
    if (ScalarParser.isScalar(type)) {
      return;
    }
    ReferenceYamlWriter one = new ReferenceYamlWriter();
    one.section(type, 0, live);
    comment("Each of them has:", depth);
    one.out
        .toString()
        .lines()
        .forEach(line -> indent(depth).append(line.isEmpty() ? "#" : "#   " + line).append('\n'));
  }

  static String bounds(RecordComponent component, ConfigKey setting) {
    if (setting.value().equals(ConfigKey.REQUIRED)) {
      return "Required.";
    }
    if (component.getType() == List.class || component.getType() == Map.class) {
      return "At most " + setting.max() + " of them.";
    }
    if (component.getType().isEnum()) {
      return Arrays.stream(component.getType().getEnumConstants())
          .map(constant -> ScalarParser.toKebabCase((Enum<?>) constant))
          .collect(Collectors.joining(", ", "One of ", "."));
    }
    String from = setting.min();
    String to = setting.max();
    if (from.isEmpty() && to.isEmpty()) {
      return "";
    }
    return from.isEmpty()
        ? "At most " + to + "."
        : from + (to.isEmpty() ? " or more." : " to " + to + ".");
  }

  private void comment(String text, int depth) {
    if (!text.isEmpty()) {
      indent(depth).append("# ").append(text).append('\n');
    }
  }

  private StringBuilder indent(int depth) {
    return out.repeat("  ", depth);
  }

  static java.lang.reflect.Type[] arguments(RecordComponent component) {
    return ((ParameterizedType) component.getGenericType()).getActualTypeArguments();
  }
}
