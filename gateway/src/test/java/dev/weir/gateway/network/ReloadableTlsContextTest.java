package dev.weir.gateway.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.HttpPolicy;
import dev.weir.testkit.fixtures.TestPolicies;
import io.netty.handler.ssl.SslContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificate files that change, one check at a time. */
final class ReloadableTlsContextTest {
  @TempDir private static Path sources;

  private static SelfSignedCertificate first;
  private static SelfSignedCertificate second;

  @TempDir private Path folder;

  private ReloadableTlsContext context;
  private SslContext loaded;

  @BeforeAll
  static void makeCertificates() throws Exception {
    first = SelfSignedCertificate.create(sources, "first");
    second = SelfSignedCertificate.create(sources, "second");
  }

  @BeforeEach
  void load() throws Exception {
    replaceCertificate(first);
    replaceKey(first);
    HttpPolicy http =
        TestPolicies.parse(
                """
                clusters: {main: {seeds: ["127.0.0.1:1"]}}
                http: {tls: {enabled: true, certificate-file: "%s", key-file: "%s"}}
                """
                    .formatted(certificate(), key()))
            .http();
    CertificateWatcher closed = new CertificateWatcher();
    closed.close(); // the test checks in its place
    context = Objects.requireNonNull(new TlsContextFactory(closed).serverContext(http));
    loaded = context.get();
  }

  private Path certificate() {
    return folder.resolve("tls.crt");
  }

  private Path key() {
    return folder.resolve("tls.key");
  }

  private void replaceCertificate(SelfSignedCertificate by) throws Exception {
    Files.copy(Path.of(by.certificateFile()), certificate(), StandardCopyOption.REPLACE_EXISTING);
  }

  private void replaceKey(SelfSignedCertificate by) throws Exception {
    Files.copy(Path.of(by.keyFile()), key(), StandardCopyOption.REPLACE_EXISTING);
  }

  /** Checks often enough for content that is stable. */
  private void check() {
    context.checkForChange();
    context.checkForChange();
  }

  @Test
  void keepTheContextOfUnchangedFiles() throws Exception {
    check();
    replaceCertificate(first);
    check();
    assertThat(context.get()).isSameAs(loaded);
    assertThat(context.reloads()).isZero();
  }

  @Test
  void loadChangedFilesOnceTheyAreStable() throws Exception {
    replaceCertificate(second);
    replaceKey(second);
    context.checkForChange();
    assertThat(context.get()).isSameAs(loaded);
    context.checkForChange();
    assertThat(context.get()).isNotSameAs(loaded);
    assertThat(context.reloads()).isOne();
    assertThat(context.problem()).isNull();
  }

  @Test
  void waitForTheKeyOfANewCertificate() throws Exception {
    replaceCertificate(second);
    check();
    assertThat(context.get()).isSameAs(loaded);
    assertThat(context.problem())
        .startsWith("http.tls: got a key that is not that of the certificate in ");
    replaceKey(second);
    check();
    assertThat(context.get()).isNotSameAs(loaded);
    assertThat(context.problem()).isNull();
  }

  @Test
  void keepTheContextWhileAFileIsBroken() throws Exception {
    Files.writeString(certificate(), "no certificate");
    check();
    assertThat(context.get()).isSameAs(loaded);
    assertThat(context.problem()).contains("tls.crt");
    Files.delete(certificate());
    check();
    assertThat(context.get()).isSameAs(loaded);
    replaceCertificate(first);
    check();
    assertThat(context.get()).isSameAs(loaded);
    assertThat(context.problem()).isNull();
    assertThat(context.reloads()).isZero();
  }

  @Test
  void followAReplacedSymbolicLink() throws Exception {
    Files.delete(certificate());
    Files.delete(key());
    Files.createSymbolicLink(certificate(), Path.of(second.certificateFile()));
    Files.createSymbolicLink(key(), Path.of(second.keyFile()));
    check();
    assertThat(context.reloads()).isOne();
  }
}
