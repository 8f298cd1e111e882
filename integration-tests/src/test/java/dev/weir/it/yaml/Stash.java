package dev.weir.it.yaml;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The values that a test has stored, by name. */
final class Stash {
  private static final Pattern EMBEDDED = Pattern.compile("\\$\\{([^}]+)}");

  private final Map<String, @Nullable Object> values = new HashMap<>();

  void put(String name, @Nullable Object value) {
    values.put(name, value);
  }

  /** Replaces {@code $name} and {@code ${name}} in strings, deep in maps and lists; keys too. */
  @Nullable Object replace(@Nullable Object value) {
    return switch (value) {
      case String text -> replaceText(text);
      case Map<?, ?> map -> {
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((key, inner) ->
            copy.put(String.valueOf(replaceText(String.valueOf(key))), replace(inner)));
        yield copy;
      }
      case List<?> list -> {
        List<@Nullable Object> copy = new ArrayList<>();
        list.forEach(inner -> copy.add(replace(inner)));
        yield copy;
      }
      case null, default -> value;
    };
  }

  private @Nullable Object replaceText(String text) {
    if (text.startsWith("$") && values.containsKey(text.substring(1))) {
      return values.get(text.substring(1));
    }
    if (text.startsWith("${")
        && text.endsWith("}")
        && values.containsKey(text.substring(2, text.length() - 1))) {
      return values.get(text.substring(2, text.length() - 1));
    }
    Matcher matcher = EMBEDDED.matcher(text);
    StringBuilder out = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1);
      String with = values.containsKey(name) ? String.valueOf(values.get(name)) : matcher.group();
      matcher.appendReplacement(out, Matcher.quoteReplacement(with));
    }
    return matcher.appendTail(out).toString();
  }
}
