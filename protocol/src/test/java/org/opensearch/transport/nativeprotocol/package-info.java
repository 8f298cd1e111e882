/** Opens OpenSearch's own encoder, which is not public, to the tests. */
@NullMarked
package org.opensearch.transport.nativeprotocol;

import org.jspecify.annotations.NullMarked;
