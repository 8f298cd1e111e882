package dev.weir.it.yaml;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The one transformation of the suite's language: {@code #base64EncodeCredentials(a,b)}. */
final class YamlTransforms {
  private static final String BASE64 = "#base64EncodeCredentials(";

  private YamlTransforms() {}

  static String apply(String expression, Function<String, @Nullable Object> value) {
    if (!expression.startsWith(BASE64) || !expression.endsWith(")")) {
      throw new AssertionError("got " + expression + " (expected: " + BASE64 + "a,b))");
    }
    String[] names = expression.substring(BASE64.length(), expression.length() - 1).split(",");
    String joined = value.apply(names[0].strip()) + ":" + value.apply(names[1].strip());
    return Base64.getEncoder().encodeToString(joined.getBytes(StandardCharsets.UTF_8));
  }
}
