package dev.weir.bench.hostile;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds, builds and runs {@code h2spec}, and makes a certificate for it to connect to. */
final class H2SpecTool {
  private static final String MODULE = "github.com/summerwind/h2spec/cmd/h2spec@v2.2.1";
  private static final String NAME = "h2spec";
  private static final String ALIAS = "gateway";
  private static final String PASSWORD = "changeit";
  private static final int LINE = 64;

  /** The files of a certificate and its private key, as PEM. */
  record Certificate(Path chain, Path key) {}

  private H2SpecTool() {}

  /**
   * Returns {@code h2spec} from the PATH, or as {@code go} builds it.
   *
   * @param folder where to build it; null to take an installed one alone
   */
  static Optional<Path> find(@Nullable Path folder, PrintStream out) {
    Optional<Path> installed = onPath(NAME);
    Optional<Path> go = onPath("go");
    if (installed.isPresent() || go.isEmpty() || folder == null) {
      return installed;
    }
    out.println("building h2spec");
    execute(Map.of("GOBIN", folder.toString()), List.of(go.get().toString(), "install", MODULE));
    Path built = folder.resolve(NAME);
    return Files.isExecutable(built) ? Optional.of(built) : Optional.empty();
  }

  private static Optional<Path> onPath(String program) {
    @Nullable String path = System.getenv("PATH");
    return Stream.of((path == null ? "" : path).split(File.pathSeparator))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Runs all tests, or those of one section; returns the output. */
  static String run(Path h2spec, List<String> options, String section, String... more) {
    List<String> command = new ArrayList<>(List.of(h2spec.toString()));
    if (!section.isEmpty()) {
      command.add(section);
    }
    command.addAll(options);
    command.addAll(List.of(more));
    return execute(Map.of(), command);
  }

  /** Makes a certificate for {@code localhost} that it signs itself. */
  static Certificate makeCertificate(Path folder) {
    Path store = folder.resolve("keys.p12");
    execute(
        Map.of(),
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-keyalg",
            "EC",
            "-alias",
            ALIAS,
            "-dname",
            "CN=localhost",
            "-storetype",
            "PKCS12",
            "-storepass",
            PASSWORD,
            "-keystore",
            store.toString()));
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      Key key = keys.getKey(ALIAS, PASSWORD.toCharArray());
      return new Certificate(
          pem(folder.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()),
          pem(folder.resolve("key.pem"), "PRIVATE KEY", key.getEncoded()));
    } catch (IOException e) {
      throw new UncheckedIOException("can't read " + store, e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("can't read the key in " + store, e);
    }
  }

  private static Path pem(Path file, String kind, byte[] content) throws IOException {
    String text =
        Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
            .encodeToString(content);
    return Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
  }

  private static String execute(Map<String, String> environment, List<String> command) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putAll(environment);
      Process process = builder.start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException("can't run " + command.getFirst(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
