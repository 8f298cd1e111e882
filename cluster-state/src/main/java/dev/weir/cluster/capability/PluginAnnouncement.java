package dev.weir.cluster.capability;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * What a node answered about its plugin.
 *
 * @param version the plugin's version; empty if the node has no plugin, or forbids the gateway to
 *     ask
 * @param capabilities the names of its capabilities, with those that this gateway does not know
 */
public record PluginAnnouncement(String version, Set<String> capabilities) {
  /** The answer of a node without the plugin. */
  public static final PluginAnnouncement ABSENT = new PluginAnnouncement("", Set.of());

  /** Copies the names. */
  public PluginAnnouncement {
    capabilities = Set.copyOf(capabilities);
  }

  /**
   * Reads a response of the action {@link NodeCapabilityRegistry#ACTION}: a string with the version
   * and an array of strings with the names, in OpenSearch's encoding ({@code StreamOutput}). A
   * later plugin may append to it.
   */
  static PluginAnnouncement readFrom(StreamInput in) throws IOException {
    PluginAnnouncement read =
        new PluginAnnouncement(in.readString(), Set.copyOf(Arrays.asList(in.readStringArray())));
    in.skipNBytes(in.available());
    return read;
  }

  /** Returns whether the node has the plugin. */
  public boolean isPresent() {
    return !version.isEmpty();
  }

  /** Returns the names in alphabetical order. */
  public List<String> sortedCapabilities() {
    return capabilities.stream().sorted().toList();
  }
}
