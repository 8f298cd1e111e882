package dev.weir.gateway.network;

import dev.weir.model.Sha256;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TLS context that follows its files. A new handshake uses the newest context; open connections
 * keep theirs. While the files are broken, the last good context stays in use. {@link #get} is safe
 * on any thread; {@link #checkForChange} is called by one thread at a time.
 *
 * <p>Compares content, not modification times, so that a replaced symbolic link counts, as
 * Kubernetes uses. A change is loaded once two checks in a row have seen the same content: a
 * certificate and its key are rarely replaced in one step.
 */
public final class ReloadableTlsContext implements Supplier<SslContext> {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReloadableTlsContext.class);

  /** Builds a context from the files as they are now. */
  interface Loader {
    Loaded load() throws IOException, GeneralSecurityException;
  }

  /**
   * A context.
   *
   * @param certificate that the gateway presents; null for none
   */
  record Loaded(SslContext context, @Nullable X509Certificate certificate) {}

  private final String section;
  private final List<Path> files;
  private final Loader loader;
  private final AtomicLong reloads = new AtomicLong();
  private volatile Loaded current;
  private volatile @Nullable String problem;
  private String loadedContent;
  private String seenContent;

  private ReloadableTlsContext(String section, List<Path> files, Loader loader) throws IOException {
    this.section = section;
    this.files = files;
    this.loader = loader;
    this.loadedContent = content();
    this.seenContent = loadedContent;
    try {
      this.current = loader.load();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException(describe(e), e);
    }
  }

  /**
   * Loads a context for the first time.
   *
   * @param section of the configuration that names the files
   * @param files their names; empty names are left out
   * @throws IOException when the files can't be used
   */
  static ReloadableTlsContext load(String section, List<String> files, Loader loader)
      throws IOException {
    List<Path> named = files.stream().filter(file -> !file.isEmpty()).map(Path::of).toList();
    return new ReloadableTlsContext(section, named, loader);
  }

  @Override
  public SslContext get() {
    return current.context();
  }

  /** The section of the configuration that names the files. */
  public String section() {
    return section;
  }

  /** When the certificate that the gateway presents expires; null without a certificate. */
  public @Nullable Instant expires() {
    X509Certificate certificate = current.certificate();
    return certificate == null ? null : certificate.getNotAfter().toInstant();
  }

  /** How many times changed files came into use. */
  public long reloads() {
    return reloads.get();
  }

  /** Why changed files are not in use; null while the newest are. */
  public @Nullable String problem() {
    return problem;
  }

  /** Loads the files if they have changed. Blocks while it reads them. */
  void checkForChange() {
    String now = content();
    boolean stable = now.equals(seenContent);
    seenContent = now;
    if (!stable) {
      return;
    }
    if (now.equals(loadedContent)) {
      if (problem != null) {
        problem = null;
        LOGGER.info("{}: the files are again those that are in use", section);
      }
      return;
    }
    try {
      Loaded loaded = loader.load();
      X509Certificate certificate = loaded.certificate();
      if (certificate != null) {
        certificate.checkValidity();
      }
      current = loaded;
      loadedContent = now;
      problem = null;
      reloads.incrementAndGet();
      LOGGER.info("{}: new connections use the changed files, certificate {}", section, name());
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      report(describe(e));
    }
  }

  /** The next check tries again; logs each problem once. */
  private void report(String found) {
    if (!found.equals(problem)) {
      problem = found;
      LOGGER.error("{}; new connections still use the files before, certificate {}", found, name());
    }
  }

  private String describe(Exception cause) {
    return section
        + ": "
        + cause.getMessage()
        + " (expected: PEM or PKCS#12 files that belong together)";
  }

  private String name() {
    X509Certificate certificate = current.certificate();
    return certificate == null
        ? "none"
        : certificate.getSubjectX500Principal()
            + " of serial number "
            + certificate.getSerialNumber().toString(16);
  }

  /** Returns a digest of all files; a file that can't be read counts as empty. */
  private String content() {
    StringBuilder content = new StringBuilder();
    for (Path file : files) {
      content.append(digest(file)).append(' ');
    }
    return content.toString();
  }

  private static String digest(Path file) {
    try {
      return Sha256.hex(Files.readAllBytes(file));
    } catch (IOException unreadable) {
      return "";
    }
  }
}
