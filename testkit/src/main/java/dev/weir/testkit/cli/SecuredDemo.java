package dev.weir.testkit.cli;

import dev.weir.testkit.secured.ClusterCertificates;
import dev.weir.testkit.secured.SecuredUser;

/**
 * What {@code weir demo --secured} adds to the demo: how the gateway reaches the nodes, and what
 * its users may see.
 */
final class SecuredDemo {
  private SecuredDemo() {}

  /** Returns the keys of the cluster with which the gateway reaches secured nodes. */
  static String clusterKeys(ClusterCertificates certificates) {
    return """
        transport-tls:
          enabled: true
          ca-file: "%1$s"
          certificate-file: "%2$s"
          key-file: "%3$s"
        rest-tls:
          enabled: true
          ca-file: "%1$s"
    """
        .formatted(
            certificates.authority().certificateFile(),
            certificates.gateway().certificateFile(),
            certificates.gateway().keyFile());
  }

  /** Returns commands that show what different users get. */
  static String examples(String gateway) {
    return """
    # without credentials: 401
    curl -i '%1$s/orders-*/_search'
    # the orders of one region, orders without customers, and with hashes of customers
    curl -u %2$s '%1$s/orders-*/_search?pretty'
    curl -u %3$s '%1$s/orders-*/_search?pretty'
    curl -u %4$s '%1$s/orders-*/_search?pretty'
    # an index without rights: 403
    curl -u %4$s '%1$s/payrolls/_search?pretty'
    # on behalf of another user
    curl -u %5$s -H 'opendistro_security_impersonate_as: %6$s' '%1$s/orders-*/_count?pretty'\
    """
        .formatted(
            gateway,
            credentials(SecuredUser.REGION_READER),
            credentials(SecuredUser.FIELDS_READER),
            credentials(SecuredUser.MASKED_READER),
            credentials(SecuredUser.IMPERSONATOR),
            SecuredUser.ORDERS_READER.username())
        .indent(2)
        .stripTrailing();
  }

  private static String credentials(SecuredUser user) {
    return user.username() + ":" + user.password();
  }
}
