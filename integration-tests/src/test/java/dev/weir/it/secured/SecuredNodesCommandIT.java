package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.cli.NodesCommand;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.ChildJvm;
import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.JvmCommand;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.WorkingTree;
import dev.weir.testkit.secured.CertificateAuthority;
import dev.weir.testkit.secured.IssuedCertificate;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code weir nodes --secured} like its users, except for the start script. */
@Drawn(oneIn = 3)
class SecuredNodesCommandIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(4);

  @TempDir private Path folder;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  @Test
  void startNodesThatRequireCertificates() throws Exception {
    Random random = TestSeed.random(SecuredNodesCommandIT.class);
    int port = Ports.findFree(random);
    Path errors = folder.resolve("errors.txt");
    ChildJvm command =
        start(
            errors,
            "--secured",
            "--nodes=1",
            "--http-port=" + port,
            "--transport-port=" + Ports.findFree(random),
            "--client-certificates=REQUIRE",
            "--data-dir=" + folder.resolve("data"));
    try {
      assertThat(lines.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
          .as(Files.readString(errors))
          .isEqualTo("ready");
      assertThat(Files.readString(errors))
          .contains("curl --cacert", "-u region-reader:weir-region-reader", ":" + port + "/orders");
      URI node = URI.create("https://127.0.0.1:" + port);
      CertificateAuthority authority =
          CertificateAuthority.open(folder.resolve("data/security/certificates"));
      assertThatThrownBy(() -> userName(node, authority, null))
          .isInstanceOf(UncheckedIOException.class);
      assertThat(userName(node, authority, authority.issue("client")))
          .contains("\"user_name\":\"client\"");
      assertThat(userName(node, authority, authority.issue("admin")))
          .contains("\"user_name\":\"CN=admin\"");
    } finally {
      command.stop(TIMEOUT);
    }
  }

  private ChildJvm start(Path errors, String... arguments) {
    List<String> options =
        List.of(
            "-Dweir.root=" + WorkingTree.root(),
            "-Djava.io.tmpdir=" + folder,
            "-Dweir.testkit.node.options=" + System.getProperty("weir.testkit.node.options", ""));
    String main = NodesCommand.class.getName();
    return ChildJvm.start(
        JvmCommand.of(ClassPath.ofThisJvm(), options, main, List.of(arguments)),
        errors,
        lines::add);
  }

  private static String userName(
      URI node, CertificateAuthority authority, @Nullable IssuedCertificate shown) {
    RestAccess access = new RestAccess(authority.clientTls(shown), Map.of());
    try (RestClient client = new RestClient(node, access)) {
      return client.send("GET", "/_plugins/_security/authinfo").orThrow().body();
    }
  }
}
