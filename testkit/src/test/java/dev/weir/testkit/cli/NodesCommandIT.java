package dev.weir.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestClient;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.ProcessStates;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Drawn(oneIn = 3)
class NodesCommandIT {
  @TempDir private Path folder;

  @Test
  void saysReadyWhenGreenAndLeavesNothingBehindOnTermination() throws Exception {
    Random random = TestSeed.random(NodesCommandIT.class);
    int http = Ports.findFree(random);
    int transport = Ports.findFree(random);
    CommandRun run =
        new CommandRun(
            NodesCommand.class,
            folder,
            "--nodes=1",
            "--http-port=" + http,
            "--transport-port=" + transport,
            "--cluster-name=by-command",
            "--heap=256m",
            "--setting=node.attr.zone=here");
    assertThat(run.nextLine()).isEqualTo("ready");
    assertThat(run.errors()).contains("node-1 (REST http://127.0.0.1:" + http);
    try (RestClient rest = new RestClient(URI.create("http://127.0.0.1:" + http))) {
      assertThat(rest.send("GET", "/").body()).contains("\"cluster_name\" : \"by-command\"");
      assertThat(rest.send("GET", "/_cat/nodeattrs?h=attr,value").body()).contains("zone", "here");
      assertThat(rest.send("GET", "/_cat/health?h=status").body()).isEqualTo("green\n");
    }
    List<Long> descendants = run.descendants();
    assertThat(descendants).isNotEmpty();

    run.child().stop(Duration.ofSeconds(60));

    descendants.forEach(ProcessStates::awaitGone);
    assertThat(folder).isDirectoryNotContaining("glob:**/weir-nodes-*");
  }
}
