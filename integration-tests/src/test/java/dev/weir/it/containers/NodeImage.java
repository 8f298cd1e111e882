package dev.weir.it.containers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.PullImageResultCallback;
import com.github.dockerjava.api.exception.NotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.testcontainers.utility.DockerImageName;

/**
 * A container image of OpenSearch, official or with the same environment variables and paths.
 *
 * @param name such as {@code opensearchproject/opensearch:2.19.4}
 */
record NodeImage(String name) {
  private static final String PROPERTY = "weir.it.images";
  private static final long MAX_PULL_MINUTES = 15;

  /** Returns the images to test, which the build names in a system property. */
  static List<NodeImage> all() {
    List<NodeImage> images =
        Stream.of(System.getProperty(PROPERTY, "").split(","))
            .map(String::strip)
            .filter(name -> !name.isEmpty())
            .map(NodeImage::new)
            .toList();
    if (images.isEmpty()) {
      throw new IllegalStateException(
          "got no -D" + PROPERTY + " (expected: names of images, with commas between them)");
    }
    return images;
  }

  /** Pulls the image unless the engine has it; skips the test where it can't be had. */
  void pullOrSkip(DockerClient engine) {
    if (!isIn(engine)) {
      String problem = pull(engine);
      assumeTrue(
          problem.isEmpty() && isIn(engine),
          "the container engine does not have the image "
              + name
              + ", and can't pull it: "
              + problem);
    }
  }

  private boolean isIn(DockerClient engine) {
    try {
      engine.inspectImageCmd(name).exec();
      return true;
    } catch (NotFoundException absent) {
      return false;
    }
  }

  /** Returns what failed; empty for nothing. */
  private String pull(DockerClient engine) {
    DockerImageName parsed = DockerImageName.parse(name);
    try (PullImageResultCallback pulling =
        engine
            .pullImageCmd(parsed.getUnversionedPart())
            .withTag(parsed.getVersionPart())
            .exec(new PullImageResultCallback())) {
      return pulling.awaitCompletion(MAX_PULL_MINUTES, TimeUnit.MINUTES)
          ? ""
          : "it was not complete after " + MAX_PULL_MINUTES + " minutes";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in pulling " + name, e);
    } catch (IOException | RuntimeException e) { // of the client, for each reason of the engine
      return String.valueOf(e.getMessage());
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
