package dev.weir.testkit.secured;

import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.NodeSpec;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a secured node has in its {@code opensearch.yml}.
 *
 * @param certificates the cluster's certificates
 * @param clientCertificates what the REST port wants of a client's certificate
 * @param configuration the folder from which the first node fills the security index
 */
record SecuritySettings(
    ClusterCertificates certificates,
    ClientCertificateMode clientCertificates,
    Path configuration) {
  private static final String PREFIX = "plugins.security.";

  /** Adds the plugin and its settings to a node, which keeps its own ones. */
  NodeSpec secure(NodeSpec node, NodePlugin plugin) {
    NodeSpec secured =
        node.withPlugin(plugin).withJvmOptions("-Dsecurity.default_init.dir=" + configuration);
    for (Map.Entry<String, String> setting : settings().entrySet()) {
      if (!node.settings().containsKey(setting.getKey())) {
        secured = secured.withSetting(setting.getKey(), setting.getValue());
      }
    }
    return secured;
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String layer : new String[] {"ssl.transport.", "ssl.http."}) {
      IssuedCertificate node = certificates.node();
      settings.put(PREFIX + layer + "enabled", "true");
      settings.put(PREFIX + layer + "pemcert_filepath", node.certificateFile().toString());
      settings.put(PREFIX + layer + "pemkey_filepath", node.keyFile().toString());
      settings.put(
          PREFIX + layer + "pemtrustedcas_filepath",
          certificates.authority().certificateFile().toString());
    }
    settings.put(PREFIX + "ssl.http.clientauth_mode", clientCertificates.name());
    settings.put(
        PREFIX + "nodes_dn",
        certificates.node().subject() + "," + certificates.gateway().subject());
    settings.put(PREFIX + "authcz.admin_dn", certificates.admin().subject());
    settings.put(
        PREFIX + "authcz.rest_impersonation_user." + SecuredUser.IMPERSONATOR.username(),
        SecuredUser.ORDERS_READER.username());
    settings.put(PREFIX + "allow_default_init_securityindex", "true");
    settings.put(PREFIX + "restapi.roles_enabled", "all_access");
    settings.put(PREFIX + "restapi.admin.enabled", "true");
    return settings;
  }
}
