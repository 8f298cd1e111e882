/**
 * A runner of OpenSearch's own REST test suite: the YAML files of {@code
 * org.opensearch:rest-api-spec}, against any base URL. What passes straight on a node has to pass
 * through the gateway.
 */
@NullMarked
package dev.weir.it.yaml;

import org.jspecify.annotations.NullMarked;
