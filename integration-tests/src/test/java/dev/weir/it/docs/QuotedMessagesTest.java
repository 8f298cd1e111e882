package dev.weir.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every message in troubleshooting.md occurs in the sources; {@code ...} stands for a value. */
class QuotedMessagesTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`.*?) \\| .* \\| .* \\|$");
  private static final Pattern FIXED_PART = Pattern.compile("`([^`]+)`");
  private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

  private static String literalsOf(Path file) {
    try {
      String joined = CONCATENATION.matcher(Files.readString(file)).replaceAll("");
      return joined.replace("\\\"", "\"").replace("\\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String mainSources() throws IOException {
    try (Stream<Path> files = Files.walk(MarkdownDoc.root())) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> file.toString().contains("src/main/java/dev/weir/"))
          .map(QuotedMessagesTest::literalsOf)
          .collect(Collectors.joining());
    }
  }

  @Test
  void quoteMessagesThatTheSourcesHave() throws IOException {
    String sources = mainSources();
    String page = Files.readString(MarkdownDoc.root().resolve("docs/troubleshooting.md"));
    List<String> unknown = new ArrayList<>();
    int parts = 0;
    for (MatchResult row : ROW.matcher(page).results().toList()) {
      for (MatchResult part : FIXED_PART.matcher(row.group(1)).results().toList()) {
        parts++;
        if (!sources.contains(part.group(1).replace("\\|", "|"))) {
          unknown.add(part.group(1));
        }
      }
    }
    assertThat(unknown).isEmpty();
    assertThat(parts).isGreaterThan(40);
  }
}
