// The library's exceptions as those of otseq2set.errors.
#pragma once

namespace otseq2set::python {

// For the functions of the module that is being made.
void translate_errors();

}  // namespace otseq2set::python
