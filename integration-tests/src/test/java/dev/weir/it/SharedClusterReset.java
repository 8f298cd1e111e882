package dev.weir.it;

import dev.weir.it.yaml.ClusterWipe;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Keeps tests that share a cluster apart. After each test it brings back the nodes that the test
 * froze, slowed or stopped; after each class it deletes what the class left in the cluster:
 * indices, templates, pipelines, scripts, settings.
 *
 * <p>JUnit finds it through {@code META-INF/services} and applies it to every class of this module.
 */
public final class SharedClusterReset implements AfterEachCallback, AfterAllCallback {
  private static final List<DataNodeCluster> OTHERS = new CopyOnWriteArrayList<>();

  /** JUnit makes one for each run. */
  public SharedClusterReset() {}

  /** Resets a cluster like {@link SharedCluster}, because several test classes use it. */
  public static DataNodeCluster add(DataNodeCluster cluster) {
    OTHERS.add(cluster);
    return cluster;
  }

  private static Stream<DataNodeCluster> clusters() {
    return Stream.concat(SharedCluster.ifStarted().stream(), OTHERS.stream());
  }

  @Override
  public void afterEach(ExtensionContext test) {
    clusters().forEach(DataNodeCluster::restore);
  }

  @Override
  public void afterAll(ExtensionContext tests) {
    if (tests.getRequiredTestClass().getEnclosingClass() == null) {
      clusters()
          .forEach(cluster -> {
            cluster.restore();
            ClusterWipe.wipe(cluster.node(0).httpUri());
          });
    }
  }
}
