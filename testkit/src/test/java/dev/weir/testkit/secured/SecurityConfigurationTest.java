package dev.weir.testkit.secured;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecurityConfigurationTest {
  @TempDir private Path folder;

  @Test
  void replaceEveryName() throws IOException {
    writeFiles();
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.toList())
          .hasSize(6)
          .allSatisfy(file ->
              assertThat(Files.readString(file))
                  .contains("_meta:")
                  .doesNotContainPattern("@[A-Z_]+@"));
    }
    assertThat(Files.readString(folder.resolve("config.yml")))
        .contains("do_not_fail_on_forbidden: true", "signing_key: \"a2V5\"", "[\"CN=gateway\"]");
  }

  @Test
  void haveEveryUser() throws IOException {
    writeFiles();
    List<String> names =
        Files.readString(folder.resolve("internal_users.yml"))
            .lines()
            .filter(line -> line.matches("[a-z-]+:"))
            .toList();
    assertThat(names)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(SecuredUser.values()).map(user -> user.username() + ":").toList());
  }

  @Test
  void signTokensWithTheKeyOfTheFile() throws IOException {
    Path file = folder.resolve("token.key");
    TokenSigner signer = TokenSigner.open(file);
    Instant expires = Instant.ofEpochSecond(1_900_000_000);
    String token = signer.sign("ada", "one,two", expires);

    String[] parts = token.split("\\.", -1);
    assertThat(parts).hasSize(3);
    assertThat(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8))
        .isEqualTo("{\"sub\":\"ada\",\"roles\":\"one,two\",\"exp\":1900000000}");
    assertThat(TokenSigner.open(file).sign("ada", "one,two", expires)).isEqualTo(token);
    assertThat(TokenSigner.open(folder.resolve("other.key")).sign("ada", "one,two", expires))
        .isNotEqualTo(token);
  }

  private void writeFiles() throws IOException {
    SecurityConfiguration.write(
        folder,
        Map.of("DO_NOT_FAIL_ON_FORBIDDEN", "true", "TOKEN_KEY", "a2V5", "GATEWAY", "CN=gateway"));
  }
}
