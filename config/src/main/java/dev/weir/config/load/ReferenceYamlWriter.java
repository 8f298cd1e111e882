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
 * Writes {@code docs/reference.yaml}: every key with its default, bounds and meaning, as YAML that
 * loads.
 */
public final class ReferenceYamlWriter {
  private static final int COMMENT_WIDTH = 116;

  private final StringBuilder out = new StringBuilder();

  private ReferenceYamlWriter() {}

  /** Returns the whole reference as YAML. */
  public static String toYaml() {
    ReferenceYamlWriter writer = new ReferenceYamlWriter();
    writer.out.append(
        """
        # Every key of Weir's configuration with its default. The build writes this file: do not edit it.
        #
        # Times have a unit (ms, s, m, h, d), and sizes too (b, kb, mb, gb, tb; some keys take % of the heap).
        # A value may contain ${NAME} or ${NAME:-fallback}, an environment variable, and ${file:PATH}, the
        # content of a file, such as a secret, which the gateway never shows. $$ is a dollar sign.
        # Live: a change takes effect while the gateway runs, as soon as the file is saved.
        # Restart: a change takes effect at the next start.
        """);
    writer.section(GatewayPolicy.class, 0, false);
    return writer.out.toString();
  }

  private void section(Class<?> type, int depth, boolean sectionDynamic) {
    for (RecordComponent component : type.getRecordComponents()) {
      String key = SectionReflection.keyOf(component);
      ConfigKey setting = component.getAnnotation(ConfigKey.class);
      boolean live = SectionReflection.isDynamic(component, sectionDynamic);
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

  /** Writes the keys of a list's entries as a comment, since no entry exists by default. */
  private void entries(Class<?> type, int depth, boolean live) {
    if (ScalarParser.isScalar(type)) {
      return;
    }
    ReferenceYamlWriter one = new ReferenceYamlWriter();
    one.section(type, 0, live);
    comment("Each entry has:", depth);
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
      return "At most " + setting.max() + " entries.";
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

  /** Appends a comment, wrapped between words at {@link #COMMENT_WIDTH} where that is possible. */
  private void comment(String text, int depth) {
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && 2 * depth + line.length() + 1 + word.length() > COMMENT_WIDTH) {
        commentLine(line, depth);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    if (!line.isEmpty()) {
      commentLine(line, depth);
    }
  }

  private void commentLine(StringBuilder line, int depth) {
    indent(depth).append("# ").append(line).append('\n');
    line.setLength(0);
  }

  private StringBuilder indent(int depth) {
    return out.repeat("  ", depth);
  }

  static java.lang.reflect.Type[] arguments(RecordComponent component) {
    return ((ParameterizedType) component.getGenericType()).getActualTypeArguments();
  }
}
