// The web page and the description of the interface, built into the program.
#pragma once

#include "otseq2set/http/router.h"

namespace otseq2set::inline serving {

// GET / is page/index.html, GET /NAME is page/NAME, and GET /v1/openapi.json is openapi.json. Open to
// everybody: there is nothing in them that is not in the program.
void add_static_files(Router& router);

}  // namespace otseq2set::inline serving
