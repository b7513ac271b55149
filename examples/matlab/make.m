function make(library, output)
% MAKE  Compile FINCH for MATLAB or Octave.
%
%   make()                  links ../../target/release/libfinch.a, which
%                           cargo build --release -p finch-ffi   makes
%   make(library)           links another static library, given as its file or folder: also that of a
%                           prefix where finch-ffi/install put it, such as make('/usr/local/lib')
%   make(library, output)   puts the compiled finch_mex into the folder output, not beside this file
%
% The static library is linked, so that finch_mex is all there is to install beside FINCH.m. Restart
% MATLAB or Octave before compiling again: a finch_mex that has run stays loaded.
%
% Tested with Octave on Linux only. The branches for MATLAB, macOS and Windows are as their manuals
% have it.

  here = fileparts(mfilename('fullpath'));
  root = fileparts(fileparts(here));
  if nargin < 1 || isempty(library)
    library = fullfile(root, 'target', 'release');
  end
  if nargin < 2
    output = here;
  end
  library = static_library(library);
  include = ['-I' headers(library, root)];
  sources = fullfile(here, {'finch_mex.c', 'finch_mex_describe.c', 'finch_mex_fail.c', ...
                            'finch_mex_merge.c', 'finch_mex_model.c', 'finch_mex_request.c', ...
                            'finch_mex_sparse.c'});
  natives = native_libraries();

  if exist('OCTAVE_VERSION', 'builtin')
    linker = {};
    if ~ispc() && ~ismac()
      % The library's symbols are for finch_mex alone, whatever else the process has loaded.
      linker = {'-Wl,--exclude-libs,ALL'};
    end
    mkoctfile('--mex', include, sources{:}, library, natives{:}, linker{:}, ...
              '-o', fullfile(output, 'finch_mex.mex'));
  else
    % libut tells of Ctrl-C.
    mex('-outdir', output, '-output', 'finch_mex', '-DFINCH_LIBUT', include, sources{:}, library, ...
        natives{:}, '-lut');
  end
end

function file = static_library(place)
  name = 'libfinch.a';
  if ispc() && ~exist('OCTAVE_VERSION', 'builtin')
    name = 'finch.lib';
  end
  file = place;
  if exist(place, 'dir')
    file = fullfile(place, name);
  end
  if ~exist(file, 'file')
    error('finch:noLibrary', '%s is missing: cargo build --release -p finch-ffi makes it', file);
  end
end

% The folder of finch.h: that of the repository or, where this folder is elsewhere or the library was installed,
% the folder include beside a folder above the library.
function folder = headers(library, root)
  folder = fullfile(root, 'include');
  above = fileparts(library);
  if exist(fullfile(folder, 'finch.h'), 'file') && strncmp(above, fullfile(root, 'target'), ...
                                                           length(fullfile(root, 'target')))
    return
  end
  while ~isempty(above) && ~strcmp(above, fileparts(above))
    above = fileparts(above);
    if exist(fullfile(above, 'include', 'finch.h'), 'file')
      folder = fullfile(above, 'include');
      return
    end
  end
  if ~exist(fullfile(folder, 'finch.h'), 'file')
    error('finch:noHeader', ['finch.h is missing: finch-ffi/install puts it into the folder include beside ' ...
                             'that of %s'], library);
  end
end

% The libraries that the static library needs: rustc --print native-static-libs.
function names = native_libraries()
  if ispc()
    names = {'-lws2_32', '-luserenv', '-lntdll', '-lbcrypt', '-ladvapi32'};
  elseif ismac()
    names = {'-lSystem', '-lc', '-lm'};
  else
    names = {'-lgcc_s', '-lutil', '-lrt', '-lpthread', '-lm', '-ldl'};
  end
end
