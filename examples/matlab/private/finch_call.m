function varargout = finch_call(command, varargin)
% FINCH_CALL  Calls the gateway, with the strings of MATLAB as texts.

  strings = cellfun(@isstring, varargin);
  varargin(strings) = cellfun(@char, varargin(strings), 'UniformOutput', false);
  [varargout{1:nargout}] = finch_mex(command, varargin{:});
end
