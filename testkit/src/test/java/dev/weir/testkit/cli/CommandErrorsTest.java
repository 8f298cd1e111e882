package dev.weir.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandErrorsTest {
  private final StringWriter errors = new StringWriter();

  private int run(Callable<Integer> command, String... args) {
    CommandLine line = CommandRunner.commandLine(command);
    line.setErr(new PrintWriter(errors, true));
    return line.execute(args);
  }

  @Test
  void reportATakenPortWithARemedy() throws Exception {
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
      int port = taken.getLocalPort();

      assertThat(run(new DemoCommand(), "--port=" + port)).isEqualTo(1);
      assertThat(errors.toString().strip())
          .isEqualTo(
              "weir demo: port "
                  + port
                  + " is taken (expected: free, for the gateway):"
                  + " stop what listens there, or choose another with --port");
    }
  }

  @Test
  void nodesRefuseAHeapThatIsNone() {
    assertThat(run(new NodesCommand(), "--heap=lots")).isEqualTo(1);
    assertThat(errors.toString().strip())
        .isEqualTo("weir nodes: got a heap of [lots] (expected: such as 512m or 1g)");
  }

  @Test
  void nodesRefuseNone() {
    assertThat(run(new NodesCommand(), "--nodes=0")).isEqualTo(1);
    assertThat(errors.toString().strip())
        .isEqualTo("weir nodes: got 0 nodes (expected: at least 1)");
  }

  @Test
  void suggestASimilarOption() {
    assertThat(run(new NodesCommand(), "--node=3")).isEqualTo(2);
    assertThat(errors.toString()).contains("Unknown option: '--node=3'", "--nodes");
  }
}
