/**
 * Real clusters with OpenSearch's security plugin, for tests and for {@code weir nodes --secured}.
 *
 * <p>{@link dev.weir.testkit.secured.SecuredCluster} starts one: TLS on all ports with certificates
 * of a {@link dev.weir.testkit.secured.CertificateAuthority} of its own, and the users of {@link
 * dev.weir.testkit.secured.SecuredUser}. {@link dev.weir.testkit.secured.SharedSecuredCluster} is
 * the one that all tests of a JVM may share. Blocking code for test threads and command lines.
 */
@NullMarked
package dev.weir.testkit.secured;

import org.jspecify.annotations.NullMarked;
