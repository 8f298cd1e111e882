package dev.weir.it.docs;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Whether what was printed has the shape of what a document shows. Of JSON the members that are
 * shown must be there, with values of that kind; of lists an element like each that is shown. Of
 * other text each line must come, in that order. Numbers and ids may be others; {@code ...} stands
 * for anything, as a line of its own for any lines.
 */
final class ResponseShape {
  private static final String ANYTHING = "...";
  private static final Pattern ID =
      Pattern.compile("(?<![\\w-])(?=[\\w-]*[A-Z0-9])[\\w-]{20,22}(?![\\w-])");
  private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.:,]\\d+)*(?:E-?\\d+)?");

  private ResponseShape() {}

  /** Returns the first mismatch; null if the output fits. */
  static @Nullable String findDifference(String shown, String printed) {
    boolean json = shown.startsWith("{") || shown.startsWith("[");
    Object wanted = json ? tree(shown) : null;
    return wanted == null ? lines(shown, printed) : json("", wanted, tree(printed));
  }

  private static @Nullable String lines(String shown, String printed) {
    List<String> lines = printed.lines().map(ResponseShape::normal).toList();
    int from = 0;
    for (String line : shown.lines().map(ResponseShape::normal).toList()) {
      if (line.isEmpty() || line.equals(ANYTHING)) {
        continue;
      }
      int at = from;
      while (at < lines.size() && !like(line, lines.get(at))) {
        at++;
      }
      if (at == lines.size()) {
        return "got no line like: " + line;
      }
      from = at + 1;
    }
    return null;
  }

  /** Parses JSON; null if it is none. */
  private static @Nullable Object tree(String text) {
    try {
      return new Load(LoadSettings.builder().build()).loadFromString(text); // JSON is YAML
    } catch (YamlEngineException e) {
      return null;
    }
  }

  private static @Nullable String json(
      String path, @Nullable Object shown, @Nullable Object printed) {
    boolean fits =
        switch (shown) {
          case Map<?, ?> members -> printed instanceof Map<?, ?>;
          case List<?> elements -> printed instanceof List<?>;
          case String text -> printed instanceof String is && like(normal(text), normal(is));
          case Number number -> printed instanceof Number;
          case null, default -> Objects.equals(shown, printed);
        };
    if (!fits) {
      return path + ": got " + printed + " (expected: like " + shown + ")";
    }
    if (shown instanceof Map<?, ?> members && printed instanceof Map<?, ?> all) {
      for (Map.Entry<?, ?> member : members.entrySet()) {
        String name = path + "/" + member.getKey();
        if (!all.containsKey(member.getKey())) {
          return name + ": is not there, but " + all.keySet();
        }
        String difference = json(name, member.getValue(), all.get(member.getKey()));
        if (difference != null) {
          return difference;
        }
      }
    }
    if (shown instanceof List<?> elements && printed instanceof List<?> all) {
      for (Object element : elements) {
        if (all.stream().noneMatch(one -> json(path, element, one) == null)) {
          return path + ": got no element like " + element + ", but " + all;
        }
      }
    }
    return null;
  }

  private static String normal(String line) {
    String words = line.strip().replaceAll("\\s+", " ");
    return NUMBER.matcher(ID.matcher(words).replaceAll("ID")).replaceAll("0");
  }

  private static boolean like(String shown, String printed) {
    if (!shown.contains(ANYTHING)) {
      return shown.equals(printed);
    }
    StringBuilder pattern = new StringBuilder();
    for (String part : shown.split(Pattern.quote(ANYTHING), -1)) {
      pattern.append(pattern.isEmpty() ? "" : ".*").append(Pattern.quote(part));
    }
    return printed.matches("(?s)" + pattern);
  }
}
