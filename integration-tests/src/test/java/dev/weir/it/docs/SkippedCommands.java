package dev.weir.it.docs;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Commands in documents that {@link DocCommandsIT} leaves out, and why. */
final class SkippedCommands {
  private static final Map<String, String> REASONS = new LinkedHashMap<>();

  static {
    String builds = "builds the tree that is being tested, or starts what does not end by itself";
    REASONS.put("./weir demo", builds + "; DemoIT runs it");
    REASONS.put("./weir nodes --secured", builds + "; SecuredNodesCommandIT runs it");
    REASONS.put("curl --cacert /tmp/secured/", "asks those nodes; SecuredNodesCommandIT asks them");
    REASONS.put(
        "curl -u region-reader:", "asks a gateway in front of those nodes; SecuredClusterIT does");
    REASONS.put("./weir run", builds + "; PackageIT and RestartIT run it");
    REASONS.put("WEIR_JAVA_OPTS=", builds);
    REASONS.put("./weir test", builds);
    REASONS.put("./weir package", builds + "; PackageIT runs it");
    REASONS.put(
        "./weir repair", "speaks to clusters at the document's addresses; DualWritesIT runs it");
    REASONS.put(
        "./weir compare", "speaks to clusters at the document's addresses; DualWritesIT runs it");
    String restarts =
        "restarts nodes; RollingRestartIT, ZonedRestartIT and OperationCommandsIT run it";
    REASONS.put("./weir restart-node", "restarts nodes; SecuredOperationsIT runs it");
    REASONS.put("./weir rolling-restart", restarts);
    REASONS.put("./weir move-manager", restarts);
    REASONS.put("mvn ", builds);
    REASONS.put("testkit/node/class-path ", "downloads another version of OpenSearch");
    String host = "changes the machine, and needs root";
    REASONS.put("tar -xzf target/", host + "; PackageIT unpacks it");
    REASONS.put("/opt/weir/", "is the package's, unpacked as root; PackageIT runs it");
    REASONS.put("useradd ", host);
    REASONS.put("install ", host);
    REASONS.put("systemctl ", host);
    REASONS.put("bin/opensearch-plugin ", "is OpenSearch's; PluginZipIT installs the zip");
    String absent = "is not there where tests run";
    REASONS.put("docker ", absent);
    REASONS.put("helm ", absent);
    REASONS.put("curl -H \"Authorization: Bearer ", "asks a host that " + absent);
    REASONS.put("sha256sum clone-1/", "compares builds; each takes minutes");
  }

  private final Set<String> met = new HashSet<>();

  /** Returns whether a command is skipped. */
  boolean contains(ShellCommand command) {
    for (String begin : REASONS.keySet()) {
      if (command.text().startsWith(begin)) {
        met.add(begin);
        return true;
      }
    }
    return false;
  }

  /** Returns the entries that match no document. */
  Set<String> unusedEntries() {
    Set<String> rest = new TreeSet<>(REASONS.keySet());
    rest.removeAll(met);
    return rest;
  }
}
