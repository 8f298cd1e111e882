package dev.weir.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.demo.SampleData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands in the documents do what is said there. */
class DocCommandsIT {
  @Test
  void theCommandsDoWhatIsSaid(@TempDir Path folder) throws Exception {
    NotRunHere left = new NotRunHere();
    int run = 0;
    DocPage.cleanUp();
    new SampleData(SharedCluster.get().rest(), 1, Clock.systemUTC()).load(line -> {});
    try {
      for (Doc doc : Doc.all()) {
        run +=
            follow(doc, Files.createDirectory(folder.resolve(doc.name().replace('/', '-'))), left);
      }
    } finally {
      DocPage.cleanUp();
    }
    assertThat(run).isGreaterThan(40);
    assertThat(left.inVain()).as("left out, and in no document").isEmpty();
  }

  private static int follow(Doc doc, Path folder, NotRunHere left) throws Exception {
    List<ShellCommand> commands =
        doc.blocks().stream()
            .filter(ShellCommand::isIn)
            .flatMap(block -> ShellCommand.of(block).stream())
            .filter(command -> !left.has(command))
            .toList();
    if (commands.isEmpty()) {
      return 0;
    }
    int run = 0;
    try (DocPage page = new DocPage(doc, folder)) {
      for (Doc.Block block : doc.blocks()) {
        run += page.follow(block, left);
      }
    }
    return run;
  }
}
