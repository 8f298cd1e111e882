package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README lists every reason for which requests pass through. */
class PassThroughReasonsTest {
  private static final Path README = Path.of(System.getProperty("weir.root", ".."), "README.md");

  @Test
  void documentAllReasons() throws IOException, IllegalAccessException {
    List<String> reasons = new ArrayList<>();
    for (Field field : PassThroughReasons.class.getFields()) {
      reasons.add("`" + field.get(null) + "`");
    }
    assertThat(reasons).hasSizeGreaterThan(10);
    assertThat(Files.readString(README)).contains(reasons);
  }

  /** Requests with these reasons keep their deadline and count as in flight. */
  @Test
  void countEverySecurityReasonAsACheckOfTheClient() throws IllegalAccessException {
    for (Field field : PassThroughReasons.class.getFields()) {
      String reason = String.valueOf(field.get(null));
      assertThat(PassThroughReasons.isClientCheck(reason))
          .as(reason)
          .isEqualTo(reason.startsWith("security"));
    }
  }
}
