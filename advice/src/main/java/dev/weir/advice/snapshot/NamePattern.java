package dev.weir.advice.snapshot;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A pattern of names, in which {@code *} matches any text, and each other character itself.
 * Immutable.
 */
public final class NamePattern {
  private final Pattern regex;

  private NamePattern(Pattern regex) {
    this.regex = regex;
  }

  /** Parses a pattern; a name without {@code *} is one, too. */
  public static NamePattern of(String pattern) {
    String regex =
        Arrays.stream(pattern.split("\\*+", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*"));
    return new NamePattern(Pattern.compile(regex, Pattern.DOTALL));
  }

  /** Returns whether the pattern matches a whole name. */
  public boolean matches(String name) {
    return regex.matcher(name).matches();
  }
}
